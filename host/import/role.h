/* What the names of variables mean, in files of all kinds. */
#ifndef COSWEEP_ROLE_H
#define COSWEEP_ROLE_H

#include "draft.h"

enum cs_role_kind {
  CS_ROLE_NONE,
  CS_ROLE_PART,        /* index: enum cs_draft_part */
  CS_ROLE_SMALL,       /* a, b, c, d, for a part where there is no A */
  CS_ROLE_NAMES,       /* index: enum cs_draft_side */
  CS_ROLE_UNITS,       /* the same */
  CS_ROLE_CONNECTIONS, /* beside subsystems */
  CS_ROLE_SAMPLING,    /* has to be 0: subsystems are continuous */
  CS_ROLE_DELAY,       /* has to be 0: they have no delays */
  CS_ROLE_TIME_UNIT    /* has to be seconds */
};

struct cs_role {
  enum cs_role_kind kind;
  int index;
};

struct cs_role cs_role_of(const char *name);

/* The text of packaging/python/cosweep/meanings.txt, the only file that is carried. */
const char *cs_role_carried(const char *name);

#endif
