/* Models from files of other programs (docs/formats.md section 5). */
#ifndef COSWEEP_IMPORT_H
#define COSWEEP_IMPORT_H

#include "draft.h"
#include "model.h"
#include "python.h"

struct cs_import_wish {
  const char *const *file;    /* [files] */
  const char *const *connect; /* [connects] "a.y -> b.u", "a.y -> b.u * 2" */
  size_t files, connects;
  const char *name; /* of the model; NULL: that of the first file */
  bool match;       /* connect equally named outputs and inputs */
  struct cs_python_wish python;
};

/* The model as the text of a model file. warnings: lines for the user, also of inputs without source, to be freed also
 * on failure. CS_INPUT: a file or a connection is wrong; CS_IO: a file cannot be read, or is of an unknown kind. */
int cs_import_write(const struct cs_import_wish *wish, struct cs_text *model, struct cs_text *warnings,
                    struct cs_error *error);
/* The name that the model gets without one of its own: the file's without folder and extension, made legal. */
void cs_import_add_name(struct cs_text *text, const char *file);
/* Counts of subsystems, direct feed-through and loops, a line. */
int cs_import_add_summary(const struct cs_model *model, struct cs_text *text, struct cs_error *error);

#endif
