/* See header_functions.h. */

#include "header_functions.h"

#include <ctype.h>

/* The header without its comments. */
static char *read_header(void) {
  FILE *file = fopen(QC_HEADER_PATH, "rb");
  char *text;
  char *to;
  const char *from;
  long size;
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  size = ftell(file);
  assert_true(size > 0);
  rewind(file);
  text = QC_CAST(char *, calloc(QC_CAST(size_t, size) + 1, 1));
  assert_non_null(text);
  assert_int_equal(fread(text, 1, QC_CAST(size_t, size), file), QC_CAST(size_t, size));
  assert_int_equal(fclose(file), 0);
  for (from = to = text; *from != '\0';) {
    if (from[0] == '/' && from[1] == '*') {
      from = strstr(from, "*/");
      assert_non_null(from);
      from += 2;
    } else if (from[0] == '/' && from[1] == '/') {
      while (*from != '\0' && *from != '\n') { from++; }
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
  return text;
}

void for_each_function_of_the_header(void (*visit)(void *ctx, const char *name, size_t length), void *ctx) {
  char *text = read_header();
  const char *at = text;
  for (at = strstr(at, "qc_"); at != NULL; at = strstr(at, "qc_")) {
    const char *end = at;
    const char *after;
    while (isalnum(QC_CAST(unsigned char, *end)) || *end == '_') { end++; }
    after = end;
    while (isspace(QC_CAST(unsigned char, *after))) { after++; }
    /* A name, then a bracket: a function, unless it is the name inside (*name). */
    if (*after == '(' && (at == text || (at[-1] != '_' && !isalnum(QC_CAST(unsigned char, at[-1]))))) {
      visit(ctx, at, QC_CAST(size_t, end - at));
    }
    at = end;
  }
  free(text);
}
