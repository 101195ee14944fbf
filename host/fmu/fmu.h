/* A model as FMUs, which other co-simulation programs run (docs/formats.md section 5). */
#ifndef COSWEEP_FMU_H
#define COSWEEP_FMU_H

#include "model.h"
#include "text.h"

/* FMUs alone; an archive with SystemStructure.ssd and FMUs; FMUs with OspSystemStructure.xml. */
enum cs_fmu_kind { CS_FMU_ALONE, CS_FMU_SSP, CS_FMU_OSP };

struct cs_fmu_file {
  struct cs_text name, bytes; /* the name without a folder: "oscillator1.fmu" */
};

struct cs_fmu_files {
  struct cs_fmu_file *file;
  size_t count;
};

/* The files of a model with the parameters of its file: for FMI 2.0, co-simulation and model exchange, with a binary
 * for the system that cosweep was built for. step: the step size (s) that they name, 0 for a default. CS_INPUT for a
 * model with events or modes. Free also on failure. */
int cs_fmu_export(const struct cs_model *model, enum cs_fmu_kind kind, double step, struct cs_fmu_files *files,
                  struct cs_error *error);
void cs_fmu_free(struct cs_fmu_files *files);

#endif
