/* cosweep: batch experiments on co-simulations. */
#include "cli.h"

int main(int argc, char **argv) {
  return cs_cli(argc - 1, argv + 1);
}
