/*
 * tune_net.c - `vinci tune` under mpirun: rank 0 searches, the other ranks run candidates for it.
 *
 * MPI starts the ranks and tells them where rank 0 listens (a small program of its own, vinci-mpi: this one needs no MPI
 * library). Jobs then travel over sockets, because a communicator of Open MPI 4 does not outlive a lost rank, while the
 * end of a socket says at once which rank is gone.
 */
#include "tune.h"

#include "home.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 1024, WAIT_SECONDS = 60, HOST = 128 };

static int from_environment(const char *const *names)
{
	for (; *names; names++)
		if (getenv(*names))
			return atoi(getenv(*names));
	return -1;
}

void tune_ranks(struct tune *t)
{
	static const char *const size[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL };
	static const char *const rank[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", NULL };
	int n = from_environment(size), r = from_environment(rank);

	t->ranks = n > 1 && r >= 0 ? n : 1;
	t->rank = t->ranks > 1 ? r : 0;
}

/* Run vinci-mpi beside this program: every rank gets rank 0's line. */
static bool broadcast(const struct tune *t, char *line, struct fail *f)
{
	char file[600];
	int up[2], status = 0;
	size_t at = 0;

	ssize_t n = readlink("/proc/self/exe", file, sizeof file - 16);
	if (n <= 0)
		return fail_set(f, FAIL_INTERNAL, "this program's own place is not known");
	file[n] = 0;
	strcpy(strrchr(file, '/') + 1, "vinci-mpi");
	if (access(file, X_OK) != 0) {
		fail_set(f, FAIL_USER, "%d ranks, but this vinci was built without MPI: %s is missing", t->ranks, file);
		return fail_hint(f, "install libopenmpi-dev and run make again, or start vinci tune without mpirun");
	}
	if (pipe(up) != 0)
		return fail_set(f, FAIL_INTERNAL, "no pipe for vinci-mpi: %s", strerror(errno));
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(up[1], 1);
		close(up[0]);
		close(up[1]);
		execl(file, file, line, (char *)NULL);
		_exit(127);
	}
	close(up[1]);
	line[0] = 0;
	while (pid > 0 && at + 1 < LINE && (n = read(up[0], line + at, LINE - 1 - at)) > 0)
		line[at += (size_t)n] = 0;
	close(up[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 || !at)
		return fail_set(f, FAIL_INTERNAL, "vinci-mpi did not bring the ranks together (status %d)", status);
	return true;
}

static void host_name(char *out)
{
	if (gethostname(out, HOST) != 0)
		out[0] = 0;
	out[HOST - 1] = 0;
	if (!out[0] || strchr(out, ' '))
		strcpy(out, "?");
}

/* "port token host address address ..." */
static bool listen_line(int *fd, char *token, char *line, struct fail *f)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
	socklen_t size = sizeof a;
	uint64_t random[2];
	char host[HOST], text[INET_ADDRSTRLEN];
	struct ifaddrs *all = NULL;

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&a, size) != 0 || listen(*fd, TUNE_REMOTE) != 0 ||
	    getsockname(*fd, (struct sockaddr *)&a, &size) != 0)
		return fail_set(f, FAIL_USER, "no socket for the other ranks: %s", strerror(errno));
	if (getrandom(random, sizeof random, 0) != sizeof random)
		return fail_set(f, FAIL_INTERNAL, "no random numbers");
	snprintf(token, TUNE_TOKEN, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
	host_name(host);
	int at = snprintf(line, LINE, "%d %s %s", ntohs(a.sin_port), token, host);
	if (getifaddrs(&all) != 0)
		all = NULL;
	for (struct ifaddrs *i = all; i && at < LINE - 64; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
			const struct sockaddr_in *in = (const void *)i->ifa_addr;
			if (in->sin_addr.s_addr != htonl(INADDR_LOOPBACK) &&
			    inet_ntop(AF_INET, &in->sin_addr, text, sizeof text))
				at += snprintf(line + at, (size_t)(LINE - at), " %s", text);
		}
	freeifaddrs(all);
	return true;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How long reading from a socket may take. */
static void patience(int fd, int seconds)
{
	struct timeval t = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

/* One that came: who does not know the token is turned away. */
static void welcome(struct tune *t, int fd)
{
	char token[TUNE_TOKEN];

	patience(fd, 5);
	if (recv(fd, token, sizeof token, MSG_WAITALL) != (ssize_t)sizeof token || memcmp(token, t->token, sizeof token) != 0 ||
	    send(fd, "g", 1, MSG_NOSIGNAL) != 1)
		close(fd);
	else
		t->remote[t->n_remote++] = fd;
}

/* What rank 0 has compiled and read is what the others have. */
static bool alike(struct tune *t, uint64_t identity, struct fail *f)
{
	for (int i = 0; i < t->n_remote; i++) {
		uint64_t other;
		patience(t->remote[i], WAIT_SECONDS);
		if (recv(t->remote[i], &other, sizeof other, MSG_WAITALL) != (ssize_t)sizeof other)
			return fail_set(f, FAIL_USER, "a rank was lost before it began");
		if (other != identity) {
			fail_set(f, FAIL_USER, "a rank has another kernel, launch file or simulator than rank 0");
			return fail_hint(f, "all hosts need the same build and the same files");
		}
		patience(t->remote[i], 0);
	}
	return true;
}

bool tune_gather(struct tune *t, int fd, uint64_t identity, struct fail *f)
{
	double until = seconds_now() + WAIT_SECONDS;

	while (t->n_remote < t->ranks - 1 && seconds_now() < until) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int one = poll(&p, 1, 1000) > 0 ? accept4(fd, NULL, NULL, SOCK_CLOEXEC) : -1;
		if (one >= 0)
			welcome(t, one);
	}
	close(fd);
	if (t->n_remote < t->ranks - 1)
		fprintf(stderr, "%d of %d other ranks came within %d seconds: going on with those\n", t->n_remote, t->ranks - 1,
			WAIT_SECONDS);
	return alike(t, identity, f);
}

static int connect_to(const char *address, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = inet_pton(AF_INET, address, &a.sin_addr) == 1 ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;

	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool tune_meet(struct tune *t, char *line, int *fd, struct fail *f)
{
	if (t->ranks - 1 > TUNE_REMOTE)
		return fail_set(f, FAIL_USER, "%d ranks: at most %d", t->ranks, TUNE_REMOTE + 1);
	*fd = -1;
	return (t->rank != 0 || listen_line(fd, t->token, line, f)) && broadcast(t, line, f);
}

bool tune_join(struct tune *t, const char *line, int *fd, struct fail *f)
{
	char copy[LINE], own[HOST], *save = NULL, go;

	snprintf(copy, sizeof copy, "%s", line);
	const char *port = strtok_r(copy, " ", &save), *token = strtok_r(NULL, " ", &save), *host = strtok_r(NULL, " ", &save);
	if (!host)
		return fail_set(f, FAIL_INTERNAL, "rank %d does not understand \"%.80s\"", t->rank, line);
	snprintf(t->token, sizeof t->token, "%s", token);
	host_name(own);
	*fd = strcmp(own, host) == 0 ? connect_to("127.0.0.1", atoi(port)) : -1;
	for (const char *a = strtok_r(NULL, " ", &save); a && *fd < 0; a = strtok_r(NULL, " ", &save))
		*fd = connect_to(a, atoi(port));
	if (*fd < 0 || send(*fd, t->token, sizeof t->token, MSG_NOSIGNAL) != (ssize_t)sizeof t->token ||
	    recv(*fd, &go, 1, MSG_WAITALL) != 1)
		return fail_set(f, FAIL_USER, "rank %d cannot reach rank 0 on %s, port %s, or it gave up", t->rank, host, port);
	return true;
}
