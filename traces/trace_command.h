/*
 * trace_command.h - `vinci trace`.
 */
#ifndef TRACE_COMMAND_H
#define TRACE_COMMAND_H

int cli_trace(int argc, char **argv); /* exit status */

#endif
