/* Titles and histories of results. */
#include <criterion/criterion.h>
#include <string.h>

#include "result.h"

Test(result, tables_keep_the_whole_command) {
  char command[10000], name[] = "s", described[] = "two tanks";
  struct cs_sweep sweep = {.name = name};
  struct cs_table *table;
  struct cs_error error;
  memset(command, 'x', sizeof command - 1);
  command[sizeof command - 1] = '\0';
  cr_assert_eq(cs_result_new_table(&sweep, ": run 3", command, "2026-01-31T12:00:00Z", &table, &error), CS_OK);
  cr_expect_str_eq(table->title, "s: run 3");
  cr_expect_eq(strlen(table->history), strlen("2026-01-31T12:00:00Z ") + strlen(command));
  cs_table_free(table);
  sweep.description = described;
  cr_assert_eq(cs_result_new_table(&sweep, "", NULL, "2026-01-31T12:00:00Z", &table, &error), CS_OK);
  cr_expect_str_eq(table->title, "two tanks");
  cr_expect_str_eq(table->history, "2026-01-31T12:00:00Z libcosweep");
  cs_table_free(table);
}
