/*
 * commands.h - the smaller sub-commands; each returns the exit status.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

int command_cc(int argc, char **argv);
int command_objdump(int argc, char **argv);
int command_chips(int argc, char **argv);

#endif
