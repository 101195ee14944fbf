/* libcosweep: everything that the program does, as a C library.
 *
 *   struct cs_sweep *sweep;    cs_sweep_load("sweep.json", NULL, 0, &sweep, &error)
 *   struct cs_device *device;  cs_device_open(NULL, &device, &error)
 *   struct cs_table *table;    cs_engine_run(sweep, device, NULL, &table, NULL, &error)
 *   struct cs_store *store;    cs_store_open("out.h5", 0, &store, &error), cs_store_commit(store, table, &error)
 *
 * cs_devices_open and cs_engine_run_on do the same on several devices; cs_export_csv writes a table as text,
 * cs_report_write as an HTML page; cs_digest_open extracts what a summary shows.
 *
 * Every function that can fail returns an enum cs_code and fills a struct cs_error. Nothing is printed. The first
 * function that uses OpenCL may set POCL_CACHE_DIR, to keep built programs as docs/formats.md section 5 describes. */
#ifndef COSWEEP_H
#define COSWEEP_H

#include "device.h"
#include "digest.h"
#include "engine.h"
#include "error.h"
#include "export.h"
#include "report.h"
#include "status.h"
#include "store.h"
#include "sweep.h"
#include "table.h"
#include "trace.h"

#endif
