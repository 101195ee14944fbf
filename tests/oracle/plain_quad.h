/* For tests of stiff networks: the plain reference in quadruple precision, in the place of the usual one. */
#ifndef COSWEEP_TESTS_PLAIN_QUAD_H
#define COSWEEP_TESTS_PLAIN_QUAD_H

#define PLAIN_QUAD

#include "plain.h"

#endif
