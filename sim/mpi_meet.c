/*
 * mpi_meet.c - vinci-mpi LINE: every rank prints the line that rank 0 was started with. `vinci tune` runs it once, so that
 * the ranks that mpirun started find each other (tune_net.c). MPI's own errors end the program with a message.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char line[1024] = "";

	MPI_Init(&argc, &argv);
	if (argc > 1)
		snprintf(line, sizeof line, "%s", argv[1]);
	MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	fputs(line, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}
