/* Runs a sweep from C: example SWEEP.json OUT.h5 */
#include <cosweep.h>
#include <stdio.h>

int main(int argc, char **argv) {
  struct cs_error error = {0};
  struct cs_sweep *sweep = NULL;
  struct cs_device *device = NULL;
  struct cs_table *table = NULL;
  struct cs_store *store = NULL;
  if (argc != 3) return CS_USAGE;
  int code = cs_sweep_load(argv[1], NULL, 0, &sweep, &error);
  if (code == CS_OK) code = cs_store_open(argv[2], 0, &store, &error);
  if (code == CS_OK) code = cs_device_open(NULL, &device, &error);
  if (code == CS_OK) code = cs_engine_run(sweep, device, NULL, &table, NULL, &error);
  if (code == CS_OK) code = cs_store_commit(store, table, &error);
  if (code != CS_OK) fprintf(stderr, "%s\n", error.message);
  cs_store_close(store);
  cs_table_free(table);
  cs_device_close(device);
  cs_sweep_free(sweep);
  return code;
}
