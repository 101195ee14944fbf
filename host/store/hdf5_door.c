#include "hdf5_door.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes in which texts are converted at once, 16 each. HDF5's own choice, 1 MiB twice, takes longer to clear for every
 * dataset than the few texts in it. */
enum { TEXT_ROOM = 16 << 10 };

struct cs_hdf5_door_quiet cs_hdf5_door_quiet(void) {
  struct cs_hdf5_door_quiet before = {0};
  if (H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data) < 0) before = (struct cs_hdf5_door_quiet){0};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

void cs_hdf5_door_loud(struct cs_hdf5_door_quiet quiet) {
  H5Eset_auto2(H5E_DEFAULT, quiet.function, quiet.data);
}

void cs_hdf5_door_confine(void) {
  H5Lunregister(H5L_TYPE_EXTERNAL);
  H5PLset_loading_state(0);
}

bool cs_hdf5_door_refuses(hid_t dataset, char reason[CS_HDF5_DOOR_REASON]) {
  const hid_t list = H5Dget_create_plist(dataset);
  const int filters = list >= 0 ? H5Pget_nfilters(list) : 0;
  reason[0] = '\0';
  if (list >= 0 && (H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) > 0))
    strcpy(reason, CS_HDF5_DOOR_ELSEWHERE);
  for (int i = 0; i < filters && reason[0] == '\0'; i++) {
    unsigned flags, options;
    size_t none = 0;
    char name[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(list, (unsigned)i, &flags, &none, NULL, sizeof name, name, &options);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
      snprintf(reason, CS_HDF5_DOOR_REASON, "is packed by filter %d%s%.63s, a plugin; want it packed by HDF5's own",
               (int)filter, name[0] != '\0' ? " " : "", name);
  }
  if (list >= 0) H5Pclose(list);
  return reason[0] != '\0';
}

struct reason {
  char text[CS_HDF5_DOOR_REASON];
  bool memory; /* there was none */
};

/* Called for the innermost entry of HDF5's error stack. Of an operating system error only its message is kept: the rest
 * is addresses and times. */
static herr_t take_reason(unsigned n, const H5E_error2_t *entry, void *data) {
  struct reason *reason = data;
  (void)n;
  reason->memory = entry->maj_num == H5E_RESOURCE && entry->min_num == H5E_NOSPACE;
  const char *text = entry->desc != NULL ? entry->desc : "";
  const char *system = strstr(text, "error message = '");
  if (system != NULL) {
    system += strlen("error message = '");
    snprintf(reason->text, sizeof reason->text, "%.*s", (int)strcspn(system, "'"), system);
  } else {
    snprintf(reason->text, sizeof reason->text, "%s", text);
  }
  return 1;
}

bool cs_hdf5_door_reason(char text[CS_HDF5_DOOR_REASON]) {
  struct reason reason = {.text = ""};
  if (H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason) < 0 || !reason.text[0])
    strcpy(reason.text, "HDF5 gives no reason");
  memcpy(text, reason.text, sizeof reason.text);
  return !reason.memory;
}

int cs_hdf5_door_fail(struct cs_error *error, const char *file, const char *doing, const char *name) {
  char reason[CS_HDF5_DOOR_REASON];
  if (!cs_hdf5_door_reason(reason)) return cs_error_memory(error);
  if (name != NULL) return cs_error_set(error, CS_IO, "%s: cannot %s \"%s\": %s", file, doing, name, reason);
  return cs_error_set(error, CS_IO, "%s: cannot %s: %s", file, doing, reason);
}

int cs_hdf5_door_close(hid_t id, herr_t (*close)(hid_t), int code, struct cs_error *error, const char *file) {
  if (id < 0 || close(id) >= 0 || code != CS_OK) return code;
  return cs_hdf5_door_fail(error, file, "finish writing", NULL);
}

hid_t cs_hdf5_door_text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
    H5Tclose(type);
    return H5I_INVALID_HID;
  }
  return type;
}

hid_t cs_hdf5_door_text_transfer(void) {
  hid_t list = H5Pcreate(H5P_DATASET_XFER);
  if (list >= 0 && H5Pset_buffer(list, TEXT_ROOM, NULL, NULL) < 0) {
    H5Pclose(list);
    return H5I_INVALID_HID;
  }
  return list;
}
