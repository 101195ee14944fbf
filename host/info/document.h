/* A text about a result, as sections with paragraphs and tables; printed on a terminal or as an HTML page. */
#ifndef COSWEEP_DOCUMENT_H
#define COSWEEP_DOCUMENT_H

#include "grid.h"

enum cs_medium { CS_TERMINAL, CS_PAGE };

/* Section: a heading and all blocks up to the next section. Part: a subheading. Term: a name and its value. Words: a
 * paragraph. Line: printed verbatim, on a terminal only. Figures: where a page shows them. */
enum cs_block_kind {
  CS_BLOCK_SECTION,
  CS_BLOCK_PART,
  CS_BLOCK_TERM,
  CS_BLOCK_WORDS,
  CS_BLOCK_LINE,
  CS_BLOCK_TABLE,
  CS_BLOCK_FIGURES
};

enum cs_tone { CS_TONE_PLAIN, CS_TONE_DIM, CS_TONE_NOTE };

struct cs_block {
  enum cs_block_kind kind;
  const char *id, *link; /* of a section: its anchor on the page, and the text of the link to it; NULL: none */
  const char *term;      /* at most 9 characters on a terminal */
  char *words;           /* heading, value of a term, paragraph, line; of a table: the summary that folds it, or NULL */
  int indent;            /* of words, on a terminal */
  enum cs_tone tone;     /* of words, on a page */
  struct cs_grid table;
};

struct cs_document {
  enum cs_medium medium;
  size_t blocks;
  struct cs_block *block;
  int failed; /* out of memory */
};

void cs_document_section(struct cs_document *document, const char *id, const char *link, const char *heading, ...)
    __attribute__((format(printf, 4, 5)));
void cs_document_part(struct cs_document *document, const char *heading, ...) __attribute__((format(printf, 2, 3)));
/* No block if the value is empty. */
void cs_document_term(struct cs_document *document, const char *term, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cs_document_words(struct cs_document *document, enum cs_tone tone, int indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cs_document_line(struct cs_document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes ownership of the table; `folded`: summary of a table that the page shows folded, or NULL. */
void cs_document_table(struct cs_document *document, struct cs_grid *table, const char *folded);
/* Frees a text that blocks were made from; if it ran out of memory, the document has failed. */
void cs_document_free_text(struct cs_document *document, struct cs_text *text);
void cs_document_figures(struct cs_document *document);
void cs_document_free(struct cs_document *document);

/* Appends the document as text within 80 columns; only headings, and lines that begin so, are not indented. */
void cs_document_print(const struct cs_document *document, struct cs_text *text);

#endif
