/* The page of a result: what its numbers are, the numbers, and the program that shows them. */
#include "explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "difference.h"
#include "explore_private.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Every block in an element of its own, which no browser reads as anything else. */
static int add_blocks(const struct cs_explore_result *result, size_t files, struct cs_text *page,
                      struct cs_error *error) {
  struct cs_chunk *chunk = cs_chunk_new();
  int code = chunk != NULL ? CS_OK : cs_error_memory(error);
  size_t block = 0;
  for (size_t f = 0; f < files; f++)
    for (size_t p = 0; p < result[f].parts; p++)
      for (size_t i = 0; i < result[f].part[p].items && code == CS_OK; i++) {
        cs_text_add(page, "<script type=\"application/octet-stream\" id=\"block-%zu\">", block++);
        code = cs_explore_add_numbers(&result[f].part[p].export, &result[f].part[p].item[i], chunk, page, error);
        cs_text_add(page, "</script>\n");
      }
  cs_chunk_free(chunk);
  return code;
}

static int check_size(const char *path, const struct cs_text *numbers, struct cs_error *error) {
  const double size = (double)numbers->length * 0.75 / 1e6;
  if (size <= CS_EXPLORE_LARGEST) return CS_OK;
  return cs_error_set(
      error, CS_USAGE,
      "cosweep explore: %s: its numbers take %.0f MB packed, a page of %.0f MB; want at most %d MB: choose "
      "with --metric NAME or --where AXIS=VALUE",
      path, size, size / 0.75, CS_EXPLORE_LARGEST);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Appends JSON so that nothing in it ends its element. */
static void add_json(struct cs_text *page, const struct cs_text *json) {
  for (const char *at = cs_text_string(json); *at != '\0'; at++)
    if (*at == '<')
      cs_text_add(page, "\\u003c");
    else
      cs_text_append(page, at, 1);
}

static void add_script(struct cs_text *page, const char *nonce, const char *name) {
  cs_text_add(page, "<script nonce=\"%s\">\n", nonce);
  const char *text = cs_explore_page(name);
  cs_text_append(page, text, strlen(text));
  cs_text_add(page, "</script>\n");
}

/* Scripts are the page's own alone: those with a word that no text of the result can have guessed. */
static void compose(const struct cs_explore_result *result, const struct cs_text *head, const struct cs_text *numbers,
                    struct cs_text *page) {
  static const char *const scripts[] = {"d3.min.js", "data.js",   "state.js", "choose.js", "draw.js",
                                        "curves.js", "map.js",    "cost.js",  "lines.js",  "table.js",
                                        "pin.js",    "traces.js", "save.js",  "main.js"};
  struct cs_checksum sum;
  char nonce[24];
  cs_checksum_begin(&sum);
  cs_checksum_add(&sum, cs_text_string(head), head->length);
  cs_checksum_add(&sum, cs_text_string(numbers), numbers->length);
  snprintf(nonce, sizeof nonce, "%016" PRIx64, sum.value);
  cs_text_add(page,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "img-src data: blob:; script-src 'nonce-%s'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
              nonce);
  cs_text_add_xml(page, result[0].file->table->title);
  cs_text_add(page, " \342\200\223 cosweep</title>\n<style>\n%s</style>\n</head>\n", cs_explore_page("style.css"));
  cs_text_add(page, "%s", cs_explore_page("body.html"));
  cs_text_add(page, "<script type=\"application/json\" id=\"head\">");
  add_json(page, head);
  cs_text_add(page, "</script>\n");
  cs_text_append(page, cs_text_string(numbers), numbers->length);
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
    add_script(page, nonce, scripts[i]);
  cs_text_add(page, "</body>\n</html>\n");
}

static int write_heads(const struct cs_explore_result *result, size_t files, struct cs_text *head,
                       struct cs_error *error) {
  struct cs_writer w = {.text = head};
  size_t block = 0;
  int code = CS_OK;
  cs_writer_object(&w, NULL);
  cs_writer_list(&w, "files");
  for (size_t f = 0; f < files && code == CS_OK; f++)
    code = cs_explore_add_head(&w, &result[f], &block, error);
  cs_writer_end(&w);
  cs_writer_end(&w);
  return code;
}

int cs_explore_write(const struct cs_explore_file *file, size_t files, const struct cs_explore_wish *wish,
                     struct cs_text *page, struct cs_error *error) {
  struct cs_explore_result result[CS_EXPLORE_FILES] = {{0}};
  struct cs_text head = {0}, numbers = {0};
  int code = CS_OK;
  if (cs_explore_page("d3.min.js") == NULL)
    return cs_error_set(
        error, CS_DEVICE,
        "cosweep explore: this program was built without d3; want one built where the package node-d3 is "
        "installed");
  for (size_t f = 0; f < files && code == CS_OK; f++)
    code = cs_explore_open(&file[f], wish, &result[f], error);
  if (code == CS_OK && files > 1)
    code = cs_difference_check_axes(file[0].table, file[1].table, (const char *const[]){file[0].path, file[1].path},
                                    error);
  if (code == CS_OK) code = write_heads(result, files, &head, error);
  if (code == CS_OK) code = add_blocks(result, files, &numbers, error);
  if (code == CS_OK) code = check_size(file[0].path, &numbers, error);
  if (code == CS_OK) compose(result, &head, &numbers, page);
  for (size_t f = 0; f < files; f++)
    cs_explore_close(&result[f]);
  const int failed = head.failed || numbers.failed || page->failed;
  cs_text_free(&head);
  cs_text_free(&numbers);
  return code == CS_OK && failed ? cs_error_memory(error) : code;
}
