/* Files of the repository that are embedded in the program. */
#ifndef COSWEEP_CARRIED_H
#define COSWEEP_CARRIED_H

/* Text of host/cli/starter/<name> or of docs/schemas/<name>, or NULL. */
const char *cs_carried_starter(const char *name);
const char *cs_carried_schema(const char *name);

#endif
