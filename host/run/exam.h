/* Tests of devices with known answers, before what they compute is believed: drivers and hardware that compute wrong
 * numbers do so without a word. */
#ifndef COSWEEP_EXAM_H
#define COSWEEP_EXAM_H

#include "programs.h"
#include "worker.h"

/* The kernels of the host: a coupling of two integrators whose errors have a closed form. CS_DEVICE if they compute
 * others. In a process once, then it is known. */
int cs_exam_host(struct cs_error *error);

/* A device of OpenCL, by the kernels of the host: the first runs of a tile, and where they step the first steps, by the
 * variant's programs, which `setup` is to use. From PoCL, with as many lanes as the host has, without teams and of
 * models that are not large, every number that a run leaves has to have the same bits; elsewhere, where additions and
 * mathematical functions may round in another way, what is measured has to agree to 1e-6. CS_OK also where the host has
 * no kernels for the variant, as for fragments of users, which are not tested; *passed: otherwise whether it did, and
 * if not why, in `error`. */
int cs_exam_device(const struct cs_worker_setup *setup, struct cs_programs *programs, const struct cs_tile *tile,
                   bool *passed, struct cs_error *error);

#endif
