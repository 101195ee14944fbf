/* What stands in the XML files beside an FMU's binary. */
#ifndef COSWEEP_DESCRIBE_H
#define COSWEEP_DESCRIBE_H

#include "wiring.h"

/* The binary's name in the FMU, which is its model identifier. */
#define CS_DESCRIBE_IDENTIFIER "linear"

/* modelDescription.xml of FMI 2.0 of a subsystem, the variables in the order of host/fmu/binary. */
void cs_describe_subsystem(const struct cs_wiring *wiring, size_t subsystem, const char *guid, struct cs_text *text);
/* SystemStructure.ssd of SSP 1.0, for FMUs in resources/. */
void cs_describe_ssd(const struct cs_wiring *wiring, struct cs_text *text);
/* OspSystemStructure.xml of the Open Simulation Platform, for FMUs beside it. */
void cs_describe_osp(const struct cs_wiring *wiring, struct cs_text *text);

#endif
