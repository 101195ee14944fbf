/* cosweep-mpi: cosweep run and merge on the processes that mpirun or srun has started; everything else is for rank 0.
 */
#include <stdio.h>
#include <string.h>

#include "builder.h"
#include "cli.h"
#include "descriptors.h"
#include "device.h"
#include "farm_mpi.h"
#include "interrupt.h"
#include "print.h"

int main(int argc, char **argv) {
  struct cs_farm *farm = NULL;
  struct cs_error error = {0};
  if (!cs_descriptors_open()) return CS_IO; /* there is nowhere to say why */
  if (argc == 2 && strcmp(argv[1], CS_BUILDER_WORD) == 0) return cs_cli(argc - 1, argv + 1); /* a rank's, but no rank */
  cs_interrupt_block(); /* threads of MPI leave signals to those of the program */
  int code = cs_farm_mpi_open(&argc, &argv, &farm, &error);
  if (code != CS_OK) cs_print_message("%s\n", error.message);
  if (code == CS_OK) cs_device_share(farm->neighbours);
  if (code == CS_OK) code = cs_cli_among(farm, argc - 1, argv + 1);
  cs_farm_mpi_close(farm, code);
  return code;
}
