/* json.h - the one JSON writer. Keys and texts may be any bytes: what is not UTF-8 becomes U+FFFD. A
 * number that is not finite becomes null. Nothing is kept but the depth and a comma, so nothing can fail;
 * the sink remembers whether it did. */
#ifndef NI_JSON_H
#define NI_JSON_H

#include "support/text.h"

typedef struct ni_json {
    ni_sink out;
    unsigned lines; /* items stand on lines of their own down to this depth; 0: all on one line */
    int digits;     /* significant digits of a real number; 0: as many as read back the same    */
    bool comma;     /* something stands before the next item                                    */
    unsigned depth;
} ni_json;

/* The key is NULL inside an array and at the top. The outermost close ends the line. */
void ni_json_open(ni_json *j, const char *key, char bracket);
void ni_json_close(ni_json *j, char bracket);

void ni_json_text(ni_json *j, const char *key, const char *text); /* NULL gives null */
void ni_json_whole(ni_json *j, const char *key, uint64_t value);
void ni_json_real(ni_json *j, const char *key, double value);
void ni_json_float(ni_json *j, const char *key, float value);
void ni_json_switch(ni_json *j, const char *key, bool value);

/* ni_json_text as a visitor, whose user is an ni_json. */
void ni_json_member(const char *key, const char *text, void *json);

/* A text alone, with its quotes. < is written as \u003c, so that it may also stand inside an HTML script
 * element. */
void ni_json_string(ni_sink out, const char *text);

#endif
