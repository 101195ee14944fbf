#include "document.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "words.h"

/* Takes ownership of the block's words and table, also on failure. */
static void add_block(struct cs_document *document, struct cs_block *block) {
  document->failed |= block->table.failed;
  if (!document->failed && cs_list_grow(&document->block, document->blocks, sizeof *block)) {
    document->block[document->blocks++] = *block;
    return;
  }
  document->failed = 1;
  free(block->words);
  cs_grid_free(&block->table);
}

static void add_words(struct cs_document *document, struct cs_block block, const char *format, va_list arguments) {
  struct cs_text words = {0};
  cs_text_add_list(&words, format, arguments);
  document->failed |= words.failed;
  block.words = words.data;
  add_block(document, &block);
}

void cs_document_section(struct cs_document *document, const char *id, const char *link, const char *heading, ...) {
  va_list arguments;
  va_start(arguments, heading);
  add_words(document, (struct cs_block){.kind = CS_BLOCK_SECTION, .id = id, .link = link}, heading, arguments);
  va_end(arguments);
}

void cs_document_part(struct cs_document *document, const char *heading, ...) {
  va_list arguments;
  va_start(arguments, heading);
  add_words(document, (struct cs_block){.kind = CS_BLOCK_PART}, heading, arguments);
  va_end(arguments);
}

void cs_document_term(struct cs_document *document, const char *term, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_words(document, (struct cs_block){.kind = CS_BLOCK_TERM, .term = term}, format, arguments);
  va_end(arguments);
  if (!document->failed && document->block[document->blocks - 1].words[0] == '\0')
    free(document->block[--document->blocks].words);
}

void cs_document_words(struct cs_document *document, enum cs_tone tone, int indent, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_words(document, (struct cs_block){.kind = CS_BLOCK_WORDS, .tone = tone, .indent = indent}, format, arguments);
  va_end(arguments);
}

void cs_document_line(struct cs_document *document, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_words(document, (struct cs_block){.kind = CS_BLOCK_LINE}, format, arguments);
  va_end(arguments);
}

void cs_document_table(struct cs_document *document, struct cs_grid *table, const char *folded) {
  struct cs_block block = {.kind = CS_BLOCK_TABLE, .table = *table};
  block.words = folded != NULL ? cs_text_copy(folded) : NULL;
  document->failed |= folded != NULL && block.words == NULL;
  *table = (struct cs_grid){0};
  add_block(document, &block);
}

void cs_document_figures(struct cs_document *document) {
  add_block(document, &(struct cs_block){.kind = CS_BLOCK_FIGURES});
}

void cs_document_free_text(struct cs_document *document, struct cs_text *text) {
  document->failed |= text->failed;
  cs_text_free(text);
}

void cs_document_free(struct cs_document *document) {
  for (size_t i = 0; i < document->blocks; i++) {
    free(document->block[i].words);
    cs_grid_free(&document->block[i].table);
  }
  free(document->block);
  *document = (struct cs_document){.medium = document->medium};
}

/* ---- as text */

/* One or more lines after a term. */
static void print_term(const char *term, const char *words, struct cs_text *text) {
  const size_t start = text->length;
  cs_words_add_paragraph(text, 10, words);
  if (!text->failed && text->length > start) memcpy(text->data + start, term, strlen(term));
}

static void print_line(const char *before, const char *words, struct cs_text *text) {
  cs_text_add(text, "%s", before);
  cs_text_add_line(text, words);
  cs_text_add(text, "\n");
}

void cs_document_print(const struct cs_document *document, struct cs_text *text) {
  text->failed |= document->failed;
  for (size_t i = 0; i < document->blocks; i++) {
    const struct cs_block *block = &document->block[i];
    switch (block->kind) {
      case CS_BLOCK_SECTION:
      case CS_BLOCK_PART:
        print_line("\n", block->words, text);
        break;
      case CS_BLOCK_TERM:
        print_term(block->term, block->words, text);
        break;
      case CS_BLOCK_WORDS:
        cs_words_add_paragraph(text, block->indent, block->words);
        break;
      case CS_BLOCK_LINE:
        print_line("", block->words, text);
        break;
      case CS_BLOCK_TABLE:
        cs_grid_print(&block->table, text);
        break;
      case CS_BLOCK_FIGURES:
        break;
    }
  }
}
