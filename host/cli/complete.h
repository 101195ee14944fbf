/* What a shell's completion asks the program: the values that an option may have with the files of a command line. */
#ifndef COSWEEP_COMPLETE_H
#define COSWEEP_COMPLETE_H

/* The first word of such a call; the next ones: the command's name, the option ("--where"), what stands before a '=' in
 * its value ("H" of "H=0.1", otherwise empty), and the files that are named. */
#define CS_COMPLETE_WORD "--complete"

/* Prints a line for each value, those before a '=' with it. Prints nothing if nothing is known, and never fails:
 * returns CS_OK. */
int cs_complete(int words, char **word);

#endif
