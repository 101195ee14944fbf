/* A farm over MPI. */
#ifndef COSWEEP_FARM_MPI_H
#define COSWEEP_FARM_MPI_H

#include "farm.h"

/* Joins the processes that mpirun or srun has started. CS_DEVICE if MPI cannot serve several threads. */
int cs_farm_mpi_open(int *argc, char ***argv, struct cs_farm **farm, struct cs_error *error);
/* Leaves them; `code` other than CS_OK on a rank above 0 ends all. */
void cs_farm_mpi_close(struct cs_farm *farm, int code);

#endif
