/*
 * tune_work.c - processes that run candidates. A worker gets one job at a time through a pipe and answers with one
 * result; the parent alone writes the results file. A worker that dies costs its candidate one more try in a new
 * process.
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

enum { JOBS_MAX = 256 };

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

struct worker { pid_t pid; int to, from; int64_t job; bool retried; };

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
			if (all[i].pid > 0 && &all[i] != w) {
				close(all[i].to);
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

/* The next job whose result is not known. */
static int64_t next_job(const struct tune *t, const struct tune_job *job, int64_t n, int64_t from)
{
	while (from < n && tune_log_find(&t->log, job[from].shape.text, job[from].point.text))
		from++;
	return from;
}

/* The result of a worker, or that it died. */
static bool answer(struct tune *t, const struct tune_job *job, struct worker *all, int n, struct worker *w, bool *again,
		   struct fail *f)
{
	struct tune_result *r = calloc(1, sizeof *r);
	bool ok;

	*again = false;
	if (!r)
		return fail_set(f, FAIL_INTERNAL, "no memory");
	if (!read_all(w->from, r, sizeof *r)) {
		stop(w);
		*again = !w->retried;
		w->retried = !w->retried;
		if (!start(t, all, n, w, f)) {
			free(r);
			return false;
		}
		if (*again) {
			free(r);
			return send_all(w->to, &job[w->job], sizeof *job) ||
				fail_set(f, FAIL_INTERNAL, "a worker does not read");
		}
		r->shape = job[w->job].shape;
		r->point = job[w->job].point;
		r->status = TUNE_FAILED;
		snprintf(r->why, sizeof r->why, "the simulation ended by itself, twice");
	}
	w->retried = false;
	ok = tune_log_add(&t->log, r, f);
	free(r);
	return ok;
}

static bool give(struct worker *w, const struct tune_job *job, int64_t i, struct fail *f)
{
	w->job = i;
	return send_all(w->to, &job[i], sizeof *job) || fail_set(f, FAIL_INTERNAL, "a worker does not read");
}

static bool run_jobs(struct tune *t, const struct tune_job *job, int64_t n, const char *what, struct worker *all, int jobs,
		     struct fail *f)
{
	int64_t next = next_job(t, job, n, 0), open = 0, todo = 0, done = 0;
	struct pollfd p[JOBS_MAX];
	double began = seconds();

	for (int64_t i = next; i < n; i = next_job(t, job, n, i + 1))
		todo++;
	for (int i = 0; i < jobs && next < n; i++) {
		if (!start(t, all, jobs, &all[i], f) || !give(&all[i], job, next, f))
			return false;
		next = next_job(t, job, n, next + 1);
		open++;
	}
	while (open) {
		show(t, what, done, todo, began);
		for (int i = 0; i < jobs; i++)
			p[i] = (struct pollfd){ .fd = all[i].pid > 0 && all[i].job >= 0 ? all[i].from : -1,
						.events = POLLIN };
		if (poll(p, (nfds_t)jobs, -1) < 0 && errno != EINTR)
			return fail_set(f, FAIL_INTERNAL, "poll: %s", strerror(errno));
		for (int i = 0; i < jobs; i++) {
			bool again = false;
			if (p[i].fd < 0 || !p[i].revents)
				continue;
			if (!answer(t, job, all, jobs, &all[i], &again, f))
				return false;
			if (again)
				continue;
			done++;
			open--;
			all[i].job = -1;
			if (next >= n)
				continue;
			if (!give(&all[i], job, next, f))
				return false;
			next = next_job(t, job, n, next + 1);
			open++;
		}
	}
	if (todo)
		show(t, what, todo, todo, began);
	return true;
}

bool tune_work(struct tune *t, const struct tune_job *job, int64_t n, const char *what, struct fail *f)
{
	struct worker all[JOBS_MAX];
	int jobs = t->jobs < 1 ? 1 : t->jobs > JOBS_MAX ? JOBS_MAX : t->jobs;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	memset(all, 0, sizeof all);
	for (int i = 0; i < jobs; i++)
		all[i].job = -1;
	sigaction(SIGPIPE, &ignore, &before); /* a dead worker is an answer, not an end */
	bool ok = run_jobs(t, job, n, what, all, jobs, f);
	for (int i = 0; i < jobs; i++) {
		if (!ok && all[i].pid > 0)
			kill(all[i].pid, SIGTERM);
		stop(&all[i]);
	}
	sigaction(SIGPIPE, &before, NULL);
	return ok;
}
