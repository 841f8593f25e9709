/*
 * train.c - the program: train, test, checkpoint, compress. Build: make train. Run: build/train_cnn --help
 */
#include "net.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: build/train_cnn [options] [CIFAR-10 binary files]\n"
	"Train a small convolutional network on the modelled 910B; without files on the handwritten digits beside the program.\n"
	"\n"
	"  --epochs N            (default 6)          --batch N      images per step (default 64)\n"
	"  --optimizer NAME      adam, sgd, adagrad   --rate X       learning rate (default 0.003, 0.02, 0.01)\n"
	"  --blocks N            blocks per launch; 0 = one per core (default 8: less to simulate, the network is small)\n"
	"  --checkpoint FILE     written after every epoch, continued from when it is there\n"
	"  --limit N             training images at most\n"
	"  --compress N          then prune 4:2, train on for N epochs, quantise to int8\n"
	"  --need X              exit status 1 when the test accuracy in percent stays below X\n"
	"\n"
	"example: build/train_cnn --epochs 6 --checkpoint digits.ckpt --compress 1 --need 95\n";

struct options {
	int64_t epochs, batch, blocks, limit, compress;
	double rate, need;
	enum rule rule;
	const char *checkpoint;
	bool help;
};

static const struct option long_options[] = {
	{ "epochs", 1, 0, 'e' }, { "batch", 1, 0, 'b' }, { "optimizer", 1, 0, 'o' }, { "rate", 1, 0, 'r' },
		{ "blocks", 1, 0, 'k' },
	{ "checkpoint", 1, 0, 'c' }, { "limit", 1, 0, 'l' }, { "compress", 1, 0, 'p' }, { "need", 1, 0, 'n' },
		{ "help", 0, 0, 'h' },
	{ 0, 0, 0, 0 },
};

static bool parse(struct options *o, int argc, char **argv, struct fail *f)
{
	static const double rates[] = { [RULE_SGD] = 0.02, [RULE_ADAM] = 0.003, [RULE_ADAGRAD] = 0.01 };
	int c;

	*o = (struct options){ .epochs = 6, .batch = 64, .blocks = 8, .limit = INT64_MAX, .compress = -1, .rule = RULE_ADAM };
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		switch (c) {
		case 'e': o->epochs = atoll(optarg); break;
		case 'b': o->batch = atoll(optarg); break;
		case 'k': o->blocks = atoll(optarg); break;
		case 'l': o->limit = atoll(optarg); break;
		case 'p': o->compress = atoll(optarg); break;
		case 'r': o->rate = atof(optarg); break;
		case 'n': o->need = atof(optarg); break;
		case 'c': o->checkpoint = optarg; break;
		case 'h': o->help = true; break;
		case 'o':
			o->rule = strcmp(optarg, "sgd") == 0 ? RULE_SGD : strcmp(optarg, "adagrad") == 0 ? RULE_ADAGRAD
				: RULE_ADAM;
			if (o->rule == RULE_ADAM && strcmp(optarg, "adam") != 0)
				return fail_set(f, FAIL_USER, "--optimizer %s: expected adam, sgd or adagrad", optarg);
			break;
		default: return fail_set(f, FAIL_USER, "wrong option (see: build/train_cnn --help)");
		}
	if (o->rate <= 0)
		o->rate = rates[o->rule];
	if (o->epochs < 0 || o->batch < 2 || o->batch > 4096 || o->blocks < 0 || o->limit < o->batch)
		return fail_set(f, FAIL_USER, "epochs from 0, batch 2 to 4096 and at most the limit, blocks from 0");
	return true;
}

/* Steps over all whole batches, begun at another place each epoch. */
bool train_epoch(struct net *n, const struct images *train, struct step *s, int64_t epoch, double *loss)
{
	int64_t steps = train->n / n->batch, size = train->h * train->w * train->c, shift = epoch * 7 % steps;
	bool show = isatty(2);

	*loss = 0;
	for (int64_t i = 0; i < steps; i++) {
		int64_t at = (i + shift) % steps * n->batch;
		double one;
		s->number++;
		if (!net_step(n, train->x + at * size, train->label + at, n->batch, *s, &one))
			return false;
		*loss += one / (double)steps;
		if (show)
			fprintf(stderr, "\repoch %lld: step %lld of %lld, loss %.4f\033[K%s", (long long)epoch + 1,
				(long long)i + 1,
				(long long)steps, one, i + 1 == steps ? "\r\033[K" : "");
	}
	return true;
}

static bool train_all(struct net *n, const struct options *o, const struct images *train, const struct images *test,
		      double *accuracy,
		      struct fail *f)
{
	struct step s = { .rule = o->rule, .rate = (float)o->rate };
	int64_t epoch = 0, done;
	double loss;

	if (o->checkpoint && net_load(n, o->checkpoint, &epoch, &s.number, f))
		printf("going on from %s, %lld epochs done\n", o->checkpoint, (long long)epoch);
	if (f->class)
		return false;
	for (done = 0; epoch < o->epochs; epoch++, done++) {
		if (!train_epoch(n, train, &s, epoch, &loss))
			return false;
		struct ops keep = n->ops; /* a step's cycles do not count the test */
		if (!net_accuracy(n, test, accuracy))
			return false;
		memcpy(n->ops.time, keep.time, sizeof keep.time);
		n->ops.n = keep.n;
		printf("epoch %2lld  loss %.4f  test accuracy %.2f %%\n", (long long)epoch + 1, loss, 100 * *accuracy);
		fflush(stdout);
		if (o->checkpoint && !net_save(n, o->checkpoint, epoch + 1, s.number, f))
			return false;
	}
	if (done) {
		printf("\n");
		ops_print(&n->ops, done * (train->n / n->batch), "cycles/step", stdout);
	} else if (!net_accuracy(n, test, accuracy)) {
		return false;
	}
	return o->compress < 0 || compress(n, train, test, s, o->compress, stdout);
}

int main(int argc, char **argv)
{
	struct fail f = { 0 };
	struct options o;
	struct images train = { 0 }, test = { 0 };
	struct net *n = calloc(1, sizeof *n);
	double accuracy = 0;
	char err[512];
	bool ok = n && isa_init(err, sizeof err) && parse(&o, argc, argv, &f);

	if (ok && o.help) {
		fputs(usage, stdout);
		free(n);
		return 0;
	}
	ok = ok && images_load(argc - optind, argv + optind, &train, &test, &f);
	if (ok && o.limit < train.n)
		train.n = o.limit;
	ok = ok && (train.n >= o.batch || fail_set(&f, FAIL_USER, "only %lld images to train with", (long long)train.n));
	ok = ok && net_open(n, (uint32_t)train.h, (uint32_t)train.w, (uint32_t)train.c, (uint32_t)o.batch, 1, &f);
	if (ok) {
		n->ops.blocks = o.blocks;
		printf("%lld images of %lld x %lld x %lld to train, %lld to test, %u parameters\n", (long long)train.n,
		       (long long)train.h,
		       (long long)train.w, (long long)train.c, (long long)test.n, n->n_param);
		ok = train_all(n, &o, &train, &test, &accuracy, &f);
	}
	if (!ok)
		fail_print(&f);
	if (n)
		net_close(n);
	free(n);
	images_free(&train);
	images_free(&test);
	return !ok ? (f.class ? (int)f.class : FAIL_INTERNAL) : 100 * accuracy < o.need ? FAIL_KERNEL : 0;
}
