/* The numbers of the plain reference: long double, or with PLAIN_QUAD quadruple precision (1e-34), for stiff networks.
 * Sources take their functions from <tgmath.h>, which serves both. */
#ifndef COSWEEP_TESTS_PLAIN_REAL_H
#define COSWEEP_TESTS_PLAIN_REAL_H

#ifdef PLAIN_QUAD
typedef _Float128 real;
#else
typedef long double real;
#endif

#endif
