/* Device `auto`: which of its engines computes a tile. The host's kernels are there at once. Where the work that is
 * left of a variant pays for it, another process builds a program specialised to it for the best device of OpenCL,
 * which has the same bits. A CPU, the same processors once more, computes all tiles of the variant that are taken after
 * that, in half the time. Any other device is apart: threads of its own take tiles for it, several at once, while those
 * of the host go on. Variants for which the host has no kernels begin with a program, of PoCL with one that is built
 * without optimisation, in a fifth of the time. What is being built and what is known of the speed of both lasts from
 * one window of a sweep to the next. A CPU of OpenCL that was named begins with quick programs too, where much
 * is to be computed in short tiles, and optimised ones take over as soon as another process has built them. */
#ifndef COSWEEP_TIERS_H
#define COSWEEP_TIERS_H

#include "device.h"
#include "options.h"
#include "plan.h"

enum cs_tier { CS_TIER_HOST, CS_TIER_QUICK, CS_TIER_BUILT, CS_TIERS };

struct cs_tiers;

/* Whether these devices have tiers: "auto", or one CPU of OpenCL for which other processes build. */
bool cs_tiers_serve(struct cs_device *const *device, size_t devices, const struct cs_engine_options *options);
/* `device`: the first of those. For any number of plans, one after the other. */
int cs_tiers_open(struct cs_device *device, const struct cs_engine_options *options, struct cs_tiers **tiers,
                  struct cs_error *error);
/* Ends what is still being built. */
void cs_tiers_close(struct cs_tiers *tiers);

/* The runs that follow those of the next plans: what they will take also pays for programs. */
void cs_tiers_follow(struct cs_tiers *tiers, struct cs_sweep later);
/* To be called when a plan's tiles are about to be taken. */
int cs_tiers_begin(struct cs_tiers *tiers, const struct cs_plan *plan, struct cs_error *error);

/* Before a tile is taken, by its number: begins to build for what is left of its variant after it, if that pays, or
 * finds what is kept. From one thread at a time. CS_DEVICE if the host has no kernels for the variant, nor OpenCL a
 * device. */
int cs_tiers_prepare(struct cs_tiers *tiers, size_t tile, struct cs_error *error);
/* Takes the tile for a thread of the host, and tells the engine that computes it. From any thread. */
enum cs_tier cs_tiers_take(struct cs_tiers *tiers, size_t tile);
/* Takes tiles from `first` on for the device that is apart, which computes them as one, *joined: their number, 0 if it
 * has no program for them or the host would sooner have computed all that is left. From any thread. */
size_t cs_tiers_take_apart(struct cs_tiers *tiers, size_t first, struct cs_tile *joined);
/* Records how many seconds an engine took for `count` tiles from `first` on. From any thread. */
void cs_tiers_record(struct cs_tiers *tiers, size_t first, size_t count, enum cs_tier tier, double seconds);
/* An engine has failed: all go on with those that they began with. False if it is one of those. */
bool cs_tiers_give_up(struct cs_tiers *tiers, uint32_t variant, enum cs_tier tier, const struct cs_error *why);
/* The engine that a variant begins with. */
enum cs_tier cs_tiers_first(const struct cs_tiers *tiers, uint32_t variant);

/* The device of OpenCL; NULL until cs_tiers_take told of an engine on it. */
struct cs_device *cs_tiers_device(const struct cs_tiers *tiers);
/* Whether it is there, and apart. From any thread. */
bool cs_tiers_is_apart(struct cs_tiers *tiers);
/* One line that says why the host had to do without; NULL if it did not. */
const char *cs_tiers_warning(const struct cs_tiers *tiers);

/* Whether the host has kernels for a variant. */
bool cs_tiers_has_host(const struct cs_layout *layout, const struct cs_engine_options *options);
/* Seconds that building a program of OpenCL takes: a first guess. */
#define CS_TIERS_BUILD_SECONDS 5.0
#define CS_TIERS_QUICK_SECONDS 1.0 /* unoptimised */
/* What every variant takes beside its tiles: its layout, its text in the result, a test of the device. */
#define CS_TIERS_VARIANT_SECONDS 13e-3

/* Whether an OpenCL device that was named has too little to do for a variant, in `windows` plans like this one, for an
 * optimised program to pay. Programs have the same bits without. */
bool cs_tiers_is_brief(const struct cs_plan *plan, uint32_t variant, const struct cs_device_info *device,
                       const struct cs_engine_options *options, double windows);

/* What is known in advance of a plan's variants: enum cs_tiers_fate fate[plan->variants], and the core seconds that its
 * tiles take on a processor, a first guess. */
enum cs_tiers_fate {
  CS_FATE_NONE,  /* no tiles */
  CS_FATE_HOST,  /* kernels of the host */
  CS_FATE_BUILT, /* a program of OpenCL, with `auto` built meanwhile */
  CS_FATE_QUICK  /* without optimisation: with `auto` where the host has no kernels, otherwise of brief variants */
};
void cs_tiers_forecast(const struct cs_plan *plan, const struct cs_device_info *device,
                       const struct cs_engine_options *options, double windows, unsigned char *fate,
                       double *core_seconds);

#endif
