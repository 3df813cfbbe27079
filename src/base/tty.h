/*
 * tty - colours, width and one progress line, only where a person looks.
 *
 * Colours are on for a stream that is a terminal unless NO_COLOR is set or TERM=dumb.
 * The progress line goes to stderr, is rewritten in place, and does not exist when
 * stderr is no terminal or progress_quiet is set.
 */
#ifndef BASE_TTY_H
#define BASE_TTY_H

#include <stdbool.h>
#include <stdio.h>

enum tty_style { TTY_PLAIN, TTY_BOLD, TTY_DIM, TTY_RED, TTY_GREEN, TTY_YELLOW, TTY_BLUE, TTY_STYLE_COUNT };

bool tty_has_colour(FILE *stream);
/* Escape sequence, or "" where the stream has no colour. */
const char *tty_style(FILE *stream, enum tty_style style);
/* Columns of the terminal; 80 where unknown. */
int tty_width(FILE *stream);

extern bool progress_quiet;
/* At most ten times a second; the text is cut to the width. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

#endif
