/* Numbers in a file without a name: they come back, and what the disk refuses is an error that leaves nothing. */
#include "spill.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "litter.h"
#include "table.h"

static char directory[] = "/tmp/cosweep-spill-XXXXXX";
static struct cs_error error;

static void open_case(void) {
  cr_assert_not_null(mkdtemp(directory));
  cr_assert_eq(chdir(directory), 0);
  signal(SIGXFSZ, SIG_IGN);
}

static size_t count_files(void) {
  DIR *list = opendir(".");
  size_t count = 0;
  cr_assert_not_null(list);
  for (struct dirent *entry; (entry = readdir(list)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(list);
  return count;
}

static void close_case(void) {
  cr_expect_eq(count_files(), 0);
  cs_litter_remove_tree(directory);
}

TestSuite(spill, .init = open_case, .fini = close_case, .timeout = 60);

Test(spill, parts_come_back) {
  struct cs_spill *spill = NULL;
  size_t part[3];
  char got[8];
  cr_assert_eq(cs_spill_open("a.h5", &spill, &error), CS_OK, "%s", error.message);
  cr_expect_eq(count_files(), 0, "it has a name");
  for (size_t i = 0; i < 3; i++)
    cr_assert_eq(cs_spill_add(spill, 10 + i, &part[i], &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < 3; i++)
    cr_assert_eq(cs_spill_put(spill, part[i], 2, &"onetwosix"[3 * i], 3, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(cs_spill_get(spill, part[i], 1, got, 5, &error), CS_OK, "%s", error.message);
    cr_expect(got[0] == 0 && memcmp(got + 1, &"onetwosix"[3 * i], 3) == 0 && got[4] == 0, "part %zu", i);
  }
  cs_spill_close(spill);
}

Test(spill, room_is_taken_at_once) {
  const struct rlimit limit = {100000, RLIM_INFINITY};
  struct cs_spill *spill = NULL;
  size_t part;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  cr_assert_eq(cs_spill_open("./a.h5", &spill, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_spill_add(spill, 60000, &part, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_spill_add(spill, 60000, &part, &error), CS_IO);
  cr_expect_str_eq(error.message,
                   "./a.h5: no room beside it for 60.0 kB of results, which --memory leaves out: File too "
                   "large");
  cr_expect_eq(cs_spill_add(spill, 30000, &part, &error), CS_OK, "what failed has taken room: %s", error.message);
  cs_spill_close(spill);
}

Test(spill, a_folder_is_needed) {
  struct cs_spill *spill = NULL;
  cr_expect_eq(cs_spill_open("absent/a.h5", &spill, &error), CS_IO);
  cr_expect_str_eq(error.message,
                   "absent/a.h5: cannot create the file beside it that has the results meanwhile: No such "
                   "file or directory");
  cr_expect_null(spill);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Several blocks of what cs_table_float64 and the like keep. */
enum { ITEMS = 300000 };

Test(spill, tables_have_their_numbers_there) {
  struct cs_table *table = cs_table_new("", "", "");
  struct cs_array *number, *flag;
  size_t axis;
  double *value = malloc(ITEMS * sizeof *value), got[2];
  uint8_t *word = malloc(ITEMS);
  cr_assert(table != NULL && value != NULL && word != NULL);
  cr_assert_eq(cs_table_spill(table, "a.h5", &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_table_add_numbers(table, "x", "place", ITEMS, &axis, &error), CS_OK);
  cr_assert_eq(cs_table_add_homed(table, "number", "", "", CS_FLOAT64, 1, &axis, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_homed(table, "flag", "", "", CS_UINT8, 1, &axis, NULL, &error), CS_OK);
  number = cs_table_find(table, "number");
  flag = cs_table_find(table, "flag");
  cr_expect_null(number->data.float64);
  for (size_t i = 0; i < ITEMS; i++) {
    value[i] = 0.5 * (double)i;
    word[i] = (uint8_t)(i % 251);
  }
  const size_t half = ITEMS / 2 + 1;
  cr_assert_eq(cs_table_put(table, number, half, value + half, ITEMS - half, &error), CS_OK);
  cr_assert_eq(cs_table_put(table, number, 0, value, half, &error), CS_OK);
  cr_assert_eq(cs_table_put(table, flag, 0, word, ITEMS, &error), CS_OK);
  for (size_t i = 0, at = 0; i < ITEMS; i++, at = (at + 104729) % ITEMS) {
    cr_assert_eq(cs_table_float64(number, at), value[at], "number %zu", at);
    cr_assert_eq(cs_table_uint8(flag, at), word[at], "flag %zu", at);
  }
  cr_assert_eq(cs_table_get(table, number, half - 1, got, 2, &error), CS_OK);
  cr_expect(got[0] == value[half - 1] && got[1] == value[half]);
  cr_expect_eq(cs_table_check(table, &error), CS_OK);
  cs_table_free(table);
  free(value);
  free(word);
}

Test(spill, an_outline_has_no_numbers) {
  struct cs_table *table = cs_table_new("", "", "");
  size_t axis[2];
  table->home = CS_NOWHERE;
  for (size_t i = 0; i < 2; i++)
    cr_assert_eq(cs_table_add_numbers(table, i == 0 ? "x" : "y", "place", 1 << 15, &axis[i], &error), CS_OK);
  cr_assert_eq(cs_table_add_homed(table, "many", "", "", CS_FLOAT64, 2, axis, NULL, &error), CS_OK);
  cr_expect_eq(table->array[0].count, (size_t)1 << 30);
  cr_expect_null(table->array[0].data.float64);
  cs_table_free(table);
}
