/*
 * net.h - a small convolutional network trained on the modelled chip: every operation is a simulated kernel of
 * kernels/.
 *
 *   x [n,h,w,c] -> conv 3x3 -> batch norm -> relu -> max pool 2 -> conv 3x3 -> batch norm -> relu -> max pool 2 -> dense ->
 * logits
 *
 * NHWC throughout. Weights live in fp32 in one flat vector (one optimiser launch does them all); the cube multiplies
 * their fp16 copy. Files: data.c reads images, ops.c launches kernels, net.c is the network, compress.c prunes and
 * quantises it, train.c is the program.
 */
#ifndef NET_H
#define NET_H

#include "../../sim/device.h"

enum { CLASSES = 10, C1 = 16, C2 = 32, OPS = 64, LOSS_SCALE = 64 };
enum rule { RULE_SGD, RULE_ADAM, RULE_ADAGRAD };

struct images { int64_t n, h, w, c; uint8_t *x; int32_t *label; };

/* The digits (a folder with digits_x.npy, digits_y.npy) or CIFAR-10 binary files; shuffled with a fixed seed and split. */
bool images_load(int n_file, char *const *file, struct images *train, struct images *test, struct fail *f);
void images_free(struct images *s);

/* Cycles by operation. */
struct op_time { char name[32]; int64_t launches, cycles; };
struct ops {
	struct device device;
	int64_t blocks;    /* 0: one per core */
	int n;
	struct op_time time[OPS];
	struct fail *fail;
};

/* ops.c: each is one launch; false: o->fail is set. Sizes are elements unless said otherwise. */
bool op_cast(struct ops *o, const char *name, const char *entry, const void *x, uint64_t x_bytes, void *y, uint64_t y_bytes,
	     uint32_t n);
struct conv_shape { uint32_t n, h, w, c, co; };
bool op_conv(struct ops *o, const char *name, struct conv_shape s, const void *x, const void *w, float *y);
bool op_conv_grad_input(struct ops *o, const char *name, struct conv_shape s, const void *dy, const void *w, float *dx);
bool op_conv_grad_weight(struct ops *o, const char *name, struct conv_shape s, const void *x, const void *dy, float *dw);
/* norm: gamma, beta, mean, variance, running mean, running variance, C floats each */
struct norm { float *gamma, *beta, *mean, *var, *run_mean, *run_var; };
bool op_norm_train(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, struct norm b, float *y);
bool op_norm_infer(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, struct norm b, float *y);
bool op_norm_grad(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, const float *dy,
		  struct norm b,
		  float *dx, float *dgamma, float *dbeta);
bool op_relu(struct ops *o, const char *name, uint32_t n, const float *x, float *y);
bool op_relu_grad(struct ops *o, const char *name, uint32_t n, const float *dy, const float *y, float *dx);
bool op_mul(struct ops *o, const char *name, uint32_t n, const float *x, const float *y, float *z);
bool op_pool(struct ops *o, const char *name, struct conv_shape s, const float *x, float *y);
bool op_pool_grad(struct ops *o, const char *name, struct conv_shape s, const float *x, const float *dy, float *dx);
bool op_dense(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const void *a, const void *b,
	      const float *bias,
	      float *c);
bool op_dense_s8(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const int8_t *a, const int8_t *b,
		 const int32_t *bias, int32_t *c);
/* b and index: packed as kernels/matmul_sparse wants it */
bool op_dense_sparse(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const int8_t *a, const int8_t *b,
		     const uint8_t *index, const int32_t *bias, int32_t *c);
bool op_matmul(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const void *a, const void *b,
	       bool trans_b,
	       float *c);
bool op_transpose(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const void *x, void *y);
bool op_sum_rows(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, float *y);
bool op_cross_entropy(struct ops *o, const char *name, uint32_t rows, const float *logits, const int32_t *label, float *loss,
		      float *grad, float scale);
bool op_quantize(struct ops *o, const char *name, uint32_t n, const float *x, int8_t *y, float inverse_scale);
bool op_dequantize(struct ops *o, const char *name, uint32_t n, const int8_t *x, float *y, float scale);
struct step { enum rule rule; int64_t number; float rate; };
bool op_optimizer(struct ops *o, const char *name, uint32_t n, float *w, const float *grad, float *m, float *v,
		  struct step s);
void ops_reset(struct ops *o);
void ops_print(const struct ops *o, int64_t per, const char *what, FILE *out);
int64_t ops_cycles(const struct ops *o);

/* Parameters in the flat vector, each from a multiple of 64. */
enum param { P_W1, P_G1, P_B1, P_W2, P_G2, P_B2, P_W3, P_B3, P_COUNT };

struct net {
	uint32_t h, w, c, batch;        /* batch: most images at once */
	uint32_t h2, w2, h3, w3, features;
	uint32_t at[P_COUNT], size[P_COUNT], n_param; /* elements */
	float *param, *grad, *m, *v, *mask;
	uint16_t *param16;
	float *stat;                    /* per norm: mean, variance, running mean, running variance, C2 each */
	/* activations and gradients of a batch */
	uint16_t *x16, *p1h, *p2h, *p2t, *d16;
	float *y1, *z1, *a1, *p1, *y2, *z2, *a2, *p2, *logits, *loss, *dlogits, *d1, *d2, *d3;
	struct ops ops;
};

bool net_open(struct net *n, uint32_t h, uint32_t w, uint32_t c, uint32_t batch, uint64_t seed, struct fail *f);
void net_close(struct net *n);
/* Logits of `count` images; training uses and updates the batch's statistics. */
bool net_forward(struct net *n, const uint8_t *x, uint32_t count, bool train);
/* One step: forward, loss, backward, optimiser. *loss: mean over the batch. */
bool net_step(struct net *n, const uint8_t *x, const int32_t *label, uint32_t count, struct step s, double *loss);
/* Share of the images that are classified right. */
bool net_accuracy(struct net *n, const struct images *s, double *accuracy);
/* Features (input of the dense layer) of `count` images, fp32, in n->p2. */
bool net_features(struct net *n, const uint8_t *x, uint32_t count, bool train);
bool net_save(const struct net *n, const char *file, int64_t epoch, int64_t step, struct fail *f);
/* False without setting f->class: there is no such file. */
bool net_load(struct net *n, const char *file, int64_t *epoch, int64_t *step, struct fail *f);

/* compress.c: 4:2 pruning with some epochs of training under the mask, int8 weights and dense layer; reports both. */
bool compress(struct net *n, const struct images *train, const struct images *test, struct step s, int64_t epochs, FILE *out);
bool train_epoch(struct net *n, const struct images *train, struct step *s, int64_t epoch, double *loss);

#endif
