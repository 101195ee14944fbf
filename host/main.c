/* cosweep: batch experiments on co-simulations. */
#include "cli.h"
#include "descriptors.h"
#include "error.h"

int main(int argc, char **argv) {
  if (!cs_descriptors_open()) return CS_IO; /* there is nowhere to say why */
  return cs_cli(argc - 1, argv + 1);
}
