/*
 * tune_work.c - processes that run candidates. A worker gets one job at a time through a pipe, or a socket to another host,
 * and answers with one result; the parent alone writes the results file. A worker that dies costs its candidate one more
 * try in a new process; what a lost rank had is given to another.
 */
#include "tune.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 256, WORKERS_MAX = JOBS_MAX + TUNE_REMOTE };

static void take_causes(const struct report *r, struct tune_result *out)
{
	/* the kind of core that finished last tells the story; of a mixed launch, the cube's */
	for (int p = 0; p < PIPE_COUNT; p++)
		if (r->kind[0].pipe[p].present)
			memcpy(out->cause[p], r->kind[0].pipe[p].cause, sizeof out->cause[p]);
}

static void note_failure(const struct fail *f, struct tune_result *out)
{
	/* kernels/tile.h: require and limit */
	bool refused = f->class == FAIL_KERNEL && (strstr(f->what, "called trap") || strstr(f->what, "kernel's limits"));

	out->status = refused ? TUNE_REFUSED : TUNE_FAILED;
	snprintf(out->why, sizeof out->why, "%.200s%s%.120s", refused ? "the kernel refuses it" : f->what,
		 f->has_where && f->where.kernel_line[0] ? ", at " : "", f->has_where ? f->where.kernel_line : "");
}

/* One run; out gets everything but its keys. */
static void evaluate(const struct tune *t, const struct tune_job *job, struct tune_result *out)
{
	struct run *r = calloc(1, sizeof *r);
	struct run_options o = { .quiet = true, .timing_only = !job->check };
	struct fail f = { 0 };

	memset(out, 0, sizeof *out);
	out->shape = job->shape;
	out->point = job->point;
	if (!r) {
		out->status = TUNE_FAILED;
		snprintf(out->why, sizeof out->why, "no memory");
		return;
	}
	r->launch = t->launch;
	if (!tune_apply(&r->launch, job->check ? &t->space.check : &job->shape, &f) ||
	    !tune_apply(&r->launch, &job->point, &f) ||
	    !run_launch(r, &o, &f)) {
		note_failure(&f, out);
	} else if (job->check) {
		out->status = report_passed(&r->report) ? TUNE_RIGHT : TUNE_WRONG;
		snprintf(out->why, sizeof out->why, "%s", out->status == TUNE_RIGHT ? ""
			 : "wrong values at the checked shape");
	} else {
		out->status = TUNE_TIMED;
		out->cycles = r->report.cycles;
		snprintf(out->why, sizeof out->why, "%.380s", r->report.bottleneck);
		take_causes(&r->report, out);
	}
	run_free(r);
	free(r);
}

struct worker {
	pid_t pid;     /* of a process here, 0 none */
	int rank;      /* of another rank its place in tune.remote + 1 */
	int to, from;
	int64_t job;   /* -1: none */
	bool retried;
};

static bool alive(const struct worker *w) { return w->pid > 0 || w->rank > 0; }

static bool read_all(int fd, void *p, size_t n)
{
	for (char *to = p; n;) {
		ssize_t k = read(fd, to, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		to += k;
		n -= (size_t)k;
	}
	return true;
}

static bool send_all(int fd, const void *p, size_t n)
{
	for (const char *from = p; n;) {
		ssize_t k = write(fd, from, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		from += k;
		n -= (size_t)k;
	}
	return true;
}

static void serve(const struct tune *t, int in, int out)
{
	struct tune_job *job = malloc(sizeof *job);
	struct tune_result *result = malloc(sizeof *result);

	while (job && result && read_all(in, job, sizeof *job)) {
		evaluate(t, job, result);
		if (!send_all(out, result, sizeof *result))
			break;
	}
	_exit(127); /* whatever it is: the parent reads answers, not this */
}

static bool start(const struct tune *t, struct worker *all, int n, struct worker *w, struct fail *f)
{
	int down[2], up[2];

	if (pipe(down) != 0)
		return fail_set(f, FAIL_INTERNAL, "no pipe for a worker: %s", strerror(errno));
	if (pipe(up) != 0) {
		close(down[0]);
		close(down[1]);
		return fail_set(f, FAIL_INTERNAL, "no pipe for a worker: %s", strerror(errno));
	}
	fflush(NULL);
	w->pid = fork();
	if (w->pid == 0) {
		close(t->log.fd); /* and with it the lock: it shall end with the parent */
		/* ends of other workers' pipes would keep those alive */
		for (int i = 0; i < n; i++)
			if (alive(&all[i]) && &all[i] != w) {
				close(all[i].to);
				if (all[i].from != all[i].to)
					close(all[i].from);
			}
		close(down[1]);
		close(up[0]);
		serve(t, down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	w->to = down[1];
	w->from = up[0];
	return w->pid > 0 || fail_set(f, FAIL_INTERNAL, "no process for a worker: %s", strerror(errno));
}

static void stop(struct worker *w)
{
	if (w->pid <= 0)
		return;
	close(w->to);
	close(w->from);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show(const struct tune *t, const char *what, int64_t done, int64_t n, double began)
{
	double left = done ? (seconds() - began) / (double)done * (double)(n - done) : 0;

	if (!t->progress)
		return;
	fprintf(stderr, "\r%s: %lld of %lld", what, (long long)done, (long long)n);
	if (done && done < n)
		fprintf(stderr, ", %.0f s left ", left);
	fprintf(stderr, done == n ? "\033[K\n" : "\033[K");
}

/* Jobs of one tune_work, and who has them. */
struct queue {
	const struct tune_job *job;
	int64_t n, low;   /* nothing below low is to be given out */
	bool *given;
	int64_t todo, done, open;
};

static bool known(const struct tune *t, const struct tune_job *job)
{
	return tune_log_find(&t->log, job->shape.text, job->point.text) != NULL;
}

/* The next job that nobody has and whose result is not known; n: none. */
static int64_t next_job(const struct tune *t, struct queue *q)
{
	while (q->low < q->n && (q->given[q->low] || known(t, &q->job[q->low])))
		q->low++;
	return q->low;
}

/* A job again that a lost rank had. */
static void give_back(struct tune *t, struct queue *q, struct worker *w)
{
	fprintf(stderr, "\na rank is lost%s\n", w->job < 0 ? "" : ": its candidate is given to another");
	close(w->to);
	t->remote[w->rank - 1] = -1;
	w->rank = 0;
	if (w->job < 0)
		return;
	q->given[w->job] = false;
	q->low = q->low < w->job ? q->low : w->job;
	q->open--;
	w->job = -1;
}

static void note_death(const struct tune_job *job, struct tune_result *r)
{
	memset(r, 0, sizeof *r);
	r->shape = job->shape;
	r->point = job->point;
	r->status = TUNE_FAILED;
	snprintf(r->why, sizeof r->why, "the simulation ended by itself, twice");
}

/* The result of a worker here; one that died is replaced, and gets its job once more. False in *done: not yet. */
static bool answer_here(const struct tune *t, const struct tune_job *job, struct worker *all, int n, struct worker *w,
			struct tune_result *r, bool *done, struct fail *f)
{
	*done = true;
	if (!read_all(w->from, r, sizeof *r)) {
		stop(w);
		*done = w->retried;
		w->retried = !w->retried;
		if (!start(t, all, n, w, f))
			return false;
		if (!*done)
			return send_all(w->to, job, sizeof *job) || fail_set(f, FAIL_INTERNAL, "a worker does not read");
		note_death(job, r);
	}
	w->retried = false;
	return true;
}

static bool answer(struct tune *t, struct queue *q, struct worker *all, int n, struct worker *w, struct fail *f)
{
	struct tune_result *r = calloc(1, sizeof *r);
	bool ok = true, done = true;

	if (!r)
		return fail_set(f, FAIL_INTERNAL, "no memory");
	if (w->rank == 0) {
		ok = answer_here(t, &q->job[w->job], all, n, w, r, &done, f);
	} else if (!read_all(w->from, r, sizeof *r) || w->job < 0) {
		give_back(t, q, w);
		done = false;
	}
	if (ok && done) {
		ok = tune_log_add(&t->log, r, f);
		q->open--;
		q->done++;
		w->job = -1;
	}
	free(r);
	return ok;
}

/* Work for everybody who has none, as long as there is some. */
static bool hand_out(struct tune *t, struct queue *q, struct worker *all, int n, struct fail *f)
{
	for (int i = 0; i < n; i++) {
		struct worker *w = &all[i];
		int64_t job = next_job(t, q);
		if (job == q->n)
			return true;
		if (w->job >= 0 || (w->rank == 0 && i >= t->jobs))
			continue;
		if (!alive(w) && !start(t, all, n, w, f))
			return false;
		w->job = job;
		q->given[job] = true;
		q->open++;
		if (send_all(w->to, &q->job[job], sizeof *q->job))
			continue;
		if (w->rank == 0)
			return fail_set(f, FAIL_INTERNAL, "a worker does not read");
		give_back(t, q, w);
	}
	return true;
}

static bool run_jobs(struct tune *t, struct queue *q, const char *what, struct worker *all, int n, struct fail *f)
{
	struct pollfd p[WORKERS_MAX];
	double began = seconds();

	for (int64_t i = 0; i < q->n; i++)
		q->todo += !known(t, &q->job[i]);
	for (;;) {
		if (!hand_out(t, q, all, n, f))
			return false;
		if (!q->open)
			break;
		show(t, what, q->done, q->todo, began);
		for (int i = 0; i < n; i++)
			p[i] = (struct pollfd){ .fd = alive(&all[i]) && (all[i].job >= 0 || all[i].rank) ? all[i].from : -1,
						.events = POLLIN };
		if (poll(p, (nfds_t)n, -1) < 0 && errno != EINTR)
			return fail_set(f, FAIL_INTERNAL, "poll: %s", strerror(errno));
		for (int i = 0; i < n; i++)
			if (p[i].fd >= 0 && p[i].revents && !answer(t, q, all, n, &all[i], f))
				return false;
	}
	if (q->todo)
		show(t, what, q->todo, q->todo, began);
	return true;
}

bool tune_work(struct tune *t, const struct tune_job *job, int64_t n, const char *what, struct fail *f)
{
	struct worker *all = calloc(WORKERS_MAX, sizeof *all);
	struct queue q = { .job = job, .n = n, .given = calloc((size_t)n + 1, sizeof *q.given) };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int workers = t->jobs;

	if (!all || !q.given) {
		free(all);
		free(q.given);
		return fail_set(f, FAIL_INTERNAL, "no memory for the workers");
	}
	for (int i = 0; i < t->n_remote; i++)
		if (t->remote[i] >= 0)
			all[workers++] = (struct worker){ .rank = i + 1, .to = t->remote[i], .from = t->remote[i] };
	for (int i = 0; i < workers; i++)
		all[i].job = -1;
	sigaction(SIGPIPE, &ignore, &before); /* a dead worker is an answer, not an end */
	bool ok = run_jobs(t, &q, what, all, workers, f);
	for (int i = 0; i < t->jobs; i++) {
		if (!ok && all[i].pid > 0)
			kill(all[i].pid, SIGTERM);
		stop(&all[i]);
	}
	sigaction(SIGPIPE, &before, NULL);
	free(all);
	free(q.given);
	return ok;
}

bool tune_serve(const struct tune *t, int fd, struct fail *f)
{
	struct tune_job *job = malloc(sizeof *job);
	struct tune_result *r = malloc(sizeof *r);
	/* the other end of fd would not see this rank die if the process kept it */
	struct worker w[2] = { { .job = -1 }, { .rank = 1, .to = fd, .from = fd } };
	bool ok = (job && r) || fail_set(f, FAIL_INTERNAL, "no memory"), done;

	signal(SIGPIPE, SIG_IGN);
	while (ok && read_all(fd, job, sizeof *job)) {
		/* in a process of its own: a simulation that dies shall not take the rank with it */
		ok = (w->pid > 0 || start(t, w, 2, w, f)) &&
		     (send_all(w->to, job, sizeof *job) || fail_set(f, FAIL_INTERNAL, "a worker does not read"));
		for (done = false; ok && !done;)
			ok = answer_here(t, job, w, 2, w, r, &done, f);
		if (ok && !send_all(fd, r, sizeof *r))
			break;
	}
	stop(w);
	free(job);
	free(r);
	return ok;
}
