/* json.h - a small JSON writer. Keys are ours; texts are anybody's: bytes that are not UTF-8 become
 * U+FFFD. A number that is not finite becomes null.                                                 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *file;
    bool flat;  /* all on one line, for JSON lines */
    bool comma; /* something stands before the next item */
    unsigned depth;
} json;

/* The key is NULL inside an array and at the top. The outermost close ends the line. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);

void json_text(json *j, const char *key, const char *text); /* NULL gives null */
void json_whole(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value);
void json_float(json *j, const char *key, float value);
void json_switch(json *j, const char *key, bool value);

#endif
