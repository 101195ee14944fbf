/* Files of the repository that the program carries with it: starter/ and schemas/. */
#ifndef COSWEEP_CARRIED_H
#define COSWEEP_CARRIED_H

/* Text of starter/<name> or schemas/<name>, or NULL. */
const char *cs_carried(const char *name);

#endif
