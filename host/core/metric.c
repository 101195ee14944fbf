#include "metric.h"

#include <stddef.h>
#include <string.h>

#define SIGNALS_OWN ""

const struct cs_metric_info cs_metric_table[CS_METRICS] = {
    [CS_OUTPUT_DEFECT] = {.name = "output_defect",
                          .over = CS_OVER_OUTPUT,
                          .fitted = true,
                          .unit = SIGNALS_OWN,
                          .long_name = "RMS over the run of the estimated output defect"},
    [CS_OUTPUT_DEFECT_TRUE] = {.name = "output_defect_true",
                               .over = CS_OVER_OUTPUT,
                               .fitted = true,
                               .on_request = true,
                               .unit = SIGNALS_OWN,
                               .long_name = "RMS over the run of the output defect itself"},
    [CS_CONNECTION_DEFECT] = {.name = "connection_defect",
                              .over = CS_OVER_INPUT,
                              .fitted = true,
                              .unit = SIGNALS_OWN,
                              .long_name = "RMS over the run of the held input minus the connected outputs"},
    [CS_INTEGRATION_DEFECT] = {.name = "integration_defect",
                               .over = CS_OVER_STATE,
                               .fitted = true,
                               .on_request = true,
                               .unit = "see state_units, per s",
                               .long_name = "RMS over the run of the residual of the state equation"},
    [CS_OUTPUT_ERROR] = {.name = "output_error",
                         .over = CS_OVER_OUTPUT,
                         .fitted = true,
                         .unit = SIGNALS_OWN,
                         .long_name = "RMS over the run of the output minus the exact monolithic solution"},
    [CS_INPUT_ERROR] = {.name = "input_error",
                        .over = CS_OVER_INPUT,
                        .fitted = true,
                        .unit = SIGNALS_OWN,
                        .long_name = "RMS over the run of the input minus the exact monolithic solution"},
    [CS_STATE_ERROR] = {.name = "state_error",
                        .over = CS_OVER_STATE,
                        .fitted = true,
                        .unit = SIGNALS_OWN,
                        .long_name = "RMS over the run of the state minus the exact monolithic solution"},
    [CS_OUTPUT_ERROR_MAX] = {.name = "output_error_max",
                             .every_step = true,
                             .over = CS_OVER_OUTPUT,
                             .fitted = true,
                             .on_request = true,
                             .unit = SIGNALS_OWN,
                             .long_name = "largest absolute output error at the communication points"},
    [CS_INPUT_ERROR_MAX] = {.name = "input_error_max",
                            .every_step = true,
                            .over = CS_OVER_INPUT,
                            .fitted = true,
                            .on_request = true,
                            .unit = SIGNALS_OWN,
                            .long_name = "largest absolute input error at the communication points"},
    [CS_STATE_ERROR_MAX] = {.name = "state_error_max",
                            .every_step = true,
                            .over = CS_OVER_STATE,
                            .fitted = true,
                            .on_request = true,
                            .unit = SIGNALS_OWN,
                            .long_name = "largest absolute state error at the communication points"},
    [CS_OUTPUT_ERROR_FINAL] = {.name = "output_error_final",
                               .over = CS_OVER_OUTPUT,
                               .fitted = true,
                               .unit = SIGNALS_OWN,
                               .long_name = "absolute output error at the end of the run"},
    [CS_INPUT_ERROR_FINAL] = {.name = "input_error_final",
                              .over = CS_OVER_INPUT,
                              .fitted = true,
                              .unit = SIGNALS_OWN,
                              .long_name = "absolute input error at the end of the run"},
    [CS_STATE_ERROR_FINAL] = {.name = "state_error_final",
                              .over = CS_OVER_STATE,
                              .fitted = true,
                              .unit = SIGNALS_OWN,
                              .long_name = "absolute state error at the end of the run"},
    [CS_MONITOR_RMS] = {.name = "monitor_rms",
                        .over = CS_OVER_MONITOR,
                        .unit = SIGNALS_OWN,
                        .long_name = "RMS of the monitor over the communication points"},
    [CS_MONITOR_MAX] = {.name = "monitor_max",
                        .every_step = true,
                        .over = CS_OVER_MONITOR,
                        .on_request = true,
                        .unit = SIGNALS_OWN,
                        .long_name = "largest absolute value of the monitor at the communication points"},
    [CS_MONITOR_FINAL] = {.name = "monitor_final",
                          .over = CS_OVER_MONITOR,
                          .unit = SIGNALS_OWN,
                          .long_name = "value of the monitor at the end of the run"},
    [CS_MONITOR_PREDICTED] = {.name = "monitor_predicted",
                              .over = CS_OVER_MONITOR,
                              .every_step = true,
                              .on_request = true,
                              .unit = SIGNALS_OWN,
                              .long_name = "discrepancy that the monitor's flow predicts for the end of the run"},
    [CS_LOCAL_ERROR] = {.name = "local_error",
                        .over = CS_OVER_OUTPUT,
                        .fitted = true,
                        .on_request = true,
                        .unit = SIGNALS_OWN,
                        .long_name = "RMS over the run of the output error of single steps from the exact solution"},
    [CS_LOCAL_ERROR_ESTIMATE] = {.name = "local_error_estimate",
                                 .over = CS_OVER_OUTPUT,
                                 .fitted = true,
                                 .on_request = true,
                                 .unit = SIGNALS_OWN,
                                 .long_name = "RMS over the run of Richardson's estimate of the local error"},
    [CS_BOND_SHARE] = {.name = "bond_share",
                       .over = CS_OVER_BOND,
                       .on_request = true,
                       .unit = "1",
                       .long_name = "share of a power bond in the squared error estimate, mean over the run's steps"},
    [CS_STEPS] = {.name = "steps", .count = true, .unit = "1", .long_name = "accepted macro steps"},
    [CS_REJECTED_STEPS] = {.name = "rejected_steps", .count = true, .unit = "1", .long_name = "rejected macro steps"},
    [CS_EVALUATIONS] = {.name = "evaluations",
                        .count = true,
                        .unit = "1",
                        .long_name = "step calls of subsystems, repeated steps included"},
    [CS_CALL_STAGES] = {.name = "stages",
                        .count = true,
                        .unit = "1",
                        .long_name = "step calls one after the other where all that can run side by side do"},
    [CS_REPEATED_STEPS] = {.name = "repeated_steps",
                           .count = true,
                           .unit = "1",
                           .long_name = "macro steps done again in iterations"},
    [CS_STEP_MIN] = {.name = "step_min", .unit = "s", .long_name = "smallest macro step"},
    [CS_STEP_MEAN] = {.name = "step_mean", .unit = "s", .long_name = "mean macro step"},
    [CS_STEP_MAX] = {.name = "step_max", .unit = "s", .long_name = "largest macro step"},
    [CS_T_FINAL] = {.name = "t_final", .unit = "s", .long_name = "time at the end of the run"},
    [CS_SPECTRAL_RADIUS] = {.name = "spectral_radius",
                            .study = CS_STABILITY,
                            .unit = "1",
                            .long_name = "largest absolute eigenvalue of the propagation matrix of one macro step"},
    [CS_SPECTRAL_RADIUS_EXACT] = {.name = "spectral_radius_exact",
                                  .study = CS_STABILITY,
                                  .unit = "1",
                                  .long_name = "the same of the exact monolithic solution"},
    [CS_SPECTRAL_RADIUS_DECAYING] = {.name = "spectral_radius_decaying",
                                     .study = CS_STABILITY,
                                     .unit = "1",
                                     .long_name = "spectral radius without the eigenvalues within 1e-9 of 1"},
    [CS_GROWTH_RATE] = {.name = "growth_rate",
                        .study = CS_STABILITY,
                        .unit = "1/s",
                        .long_name = "logarithm of the spectral radius over the macro step"},
    [CS_EXCESS_GROWTH_RATE] = {.name = "excess_growth_rate",
                               .study = CS_STABILITY,
                               .unit = "1/s",
                               .long_name = "growth rate minus that of the exact monolithic solution"},
    [CS_STABLE] = {.name = "stable",
                   .study = CS_STABILITY,
                   .flags = "unstable stable",
                   .unit = "1",
                   .long_name = "whether the spectral radius is at most 1 + 1e-9"},
    [CS_EIGENVALUE_RE] = {.name = "eigenvalue_re",
                          .asked = "eigenvalue",
                          .study = CS_STABILITY,
                          .over = CS_OVER_MODE,
                          .on_request = true,
                          .unit = "1",
                          .long_name = "real parts of the eigenvalues of the propagation matrix, largest first"},
    [CS_EIGENVALUE_IM] = {.name = "eigenvalue_im",
                          .asked = "eigenvalue",
                          .study = CS_STABILITY,
                          .over = CS_OVER_MODE,
                          .on_request = true,
                          .unit = "1",
                          .long_name = "imaginary parts of the eigenvalues of the propagation matrix, largest first"},
};

static bool listed(const char *const *list, const char *name) {
  while (*list != NULL && strcmp(*list, name) != 0)
    list++;
  return *list != NULL;
}

const char *const cs_metric_costs[CS_COSTS] = {"evaluations", "stages", "steps"};

long cs_metric_find(const char *name) {
  for (long m = 0; m < CS_METRICS; m++)
    if (strcmp(cs_metric_table[m].name, name) == 0) return m;
  return -1;
}

const char *cs_metric_word(int metric) {
  const struct cs_metric_info *info = &cs_metric_table[metric];
  return info->asked != NULL ? info->asked : info->name;
}

bool cs_metric_begins(int metric) {
  return metric == 0 || strcmp(cs_metric_word(metric), cs_metric_word(metric - 1)) != 0;
}

const char *cs_study_name(enum cs_study study) {
  return study == CS_STABILITY ? "stability" : "simulation";
}

const char *cs_metric_absent(const char *name) {
  static const char *const later[] = {"events", "event_time_error", "missed_events", "spurious_events", NULL};
  if (listed(later, name)) return "not available in this version";
  if (strcmp(name, "status") == 0) return "always written and need not be asked for";
  return NULL;
}

const char *cs_over_name(enum cs_over over) {
  static const char *const names[] = {
      [CS_OVER_NOTHING] = "",        [CS_OVER_OUTPUT] = "output", [CS_OVER_INPUT] = "input", [CS_OVER_STATE] = "state",
      [CS_OVER_MONITOR] = "monitor", [CS_OVER_MODE] = "mode",     [CS_OVER_BOND] = "bond"};
  return names[over];
}
