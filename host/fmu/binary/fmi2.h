/* Types and functions of FMI 2.0 ("Functional Mock-up Interface for Model Exchange and Co-Simulation", 2.0.4, sections
 * 2.1, 3.2 and 4.2), as far as an FMU has to define them. */
#ifndef COSWEEP_FMI2_H
#define COSWEEP_FMI2_H

#include <stddef.h>

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
  void (*logger)(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                 fmi2String message, ...);
  void *(*allocateMemory)(size_t count, size_t size);
  void (*freeMemory)(void *memory);
  void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#define LIST const fmi2ValueReference reference[], size_t count

#pragma GCC visibility push(default)

const char *fmi2GetTypesPlatform(void);
const char *fmi2GetVersion(void);
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t categories, const fmi2String category[]);
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging);
void fmi2FreeInstance(fmi2Component c);
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop);
fmi2Status fmi2EnterInitializationMode(fmi2Component c);
fmi2Status fmi2ExitInitializationMode(fmi2Component c);
fmi2Status fmi2Terminate(fmi2Component c);
fmi2Status fmi2Reset(fmi2Component c);

fmi2Status fmi2GetReal(fmi2Component c, LIST, fmi2Real value[]);
fmi2Status fmi2GetInteger(fmi2Component c, LIST, fmi2Integer value[]);
fmi2Status fmi2GetBoolean(fmi2Component c, LIST, fmi2Boolean value[]);
fmi2Status fmi2GetString(fmi2Component c, LIST, fmi2String value[]);
fmi2Status fmi2SetReal(fmi2Component c, LIST, const fmi2Real value[]);
fmi2Status fmi2SetInteger(fmi2Component c, LIST, const fmi2Integer value[]);
fmi2Status fmi2SetBoolean(fmi2Component c, LIST, const fmi2Boolean value[]);
fmi2Status fmi2SetString(fmi2Component c, LIST, const fmi2String value[]);

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state);
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[]);

/* Model exchange. */
fmi2Status fmi2EnterEventMode(fmi2Component c);
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info);
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c);
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean last, fmi2Boolean *event, fmi2Boolean *terminate);
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time);
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t states);
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t states);
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t states);
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count);
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t states);

/* Co-simulation. */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, LIST, const fmi2Integer order[], const fmi2Real value[]);
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, LIST, const fmi2Integer order[], fmi2Real value[]);
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_return);
fmi2Status fmi2CancelStep(fmi2Component c);
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value);
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value);
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value);
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value);
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value);

#pragma GCC visibility pop

#endif
