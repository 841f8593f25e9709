/*
 * cli_commands.h - the smaller sub-commands; each returns the exit status.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

int cli_diff(int argc, char **argv);
int cli_cc(int argc, char **argv);
int cli_objdump(int argc, char **argv);
int cli_chips(int argc, char **argv);

#endif
