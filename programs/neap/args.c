/* The parser of all commands: long and short options by the tables of args.h, values checked at once (the
 * command's own) or by the library once the preset is known. O(words x options). */
#include "args.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "support/status.h"
#include "support/text.h"

/* An option as it stands on the command line; those of the library are set once the preset is known. */
struct arg_setting {
    const char *name, *value;
    bool own;
};

/* Options of every command; preset only of those that train. */
static const arg_option general[] = {
    { "preset", 0, "neap|paper|authors", "neap", ARG_TEXT, offsetof(args, preset), 0, 0, false,
      "start from these defaults, wherever it stands on the line" },
    { "json", 0, "", NULL, ARG_SWITCH, offsetof(args, json), 0, 0, false,
      "print one JSON object on standard output" },
    { "quiet", 'q', "", NULL, ARG_SWITCH, offsetof(args, quiet), 0, 0, false,
      "print nothing but errors on standard error" },
    { "help", 'h', "", NULL, ARG_SWITCH, offsetof(args, help), 0, 0, false, "print this text" },
};

static bool is_general(const arg_option *o)
{
    return o >= general && o < general + sizeof general / sizeof *general;
}

static void view_own(arg_flag *flag, const arg_option *o, const char *group)
{
    *flag = (arg_flag){ .name = o->name,
                        .aliases = "",
                        .group = group,
                        .value = o->value,
                        .help = o->help,
                        .letter = o->letter,
                        .presets = { o->initial },
                        .own = o };
}

static void view_library(arg_flag *flag, const neap_option_info *o)
{
    *flag = (arg_flag){ .name = o->name,
                        .aliases = o->aliases,
                        .group = o->group,
                        .value = o->value,
                        .help = o->help,
                        .letter = o->letter,
                        .presets = { o->presets[0], o->presets[1], o->presets[2] } };
}

static bool uses(const command *c, const char *word)
{
    return ni_list_has(c->library, ',', word);
}

static bool takes(const command *c, const neap_option_info *o)
{
    char left_out[64];
    snprintf(left_out, sizeof left_out, "!%s", o->name);
    return (uses(c, o->group) || uses(c, o->name)) && !uses(c, left_out);
}

bool args_flag(const command *c, size_t i, arg_flag *flag)
{
    for (const arg_option *o = c->options; o && o->name; o++)
        if (i-- == 0) return view_own(flag, o, ""), true;
    if (uses(c, "training") && i-- == 0) return view_own(flag, &general[0], ""), true;
    for (size_t k = 0; k < neap_option_count(); k++) {
        const neap_option_info *o = neap_option_at(k);
        if (takes(c, o) && i-- == 0) return view_library(flag, o), true;
    }
    if (i + 1 >= sizeof general / sizeof *general) return false;
    return view_own(flag, &general[i + 1], "general"), true;
}

bool method_flag(const char *method, size_t i, arg_flag *flag)
{
    neap_option_info o = NEAP_SIZED(neap_option_info);
    if (neap_method_option(method, i, &o, NULL) != NEAP_OK) return false;
    view_library(flag, &o);
    return true;
}

/* aliases is "dimensions,size". */
static bool has_alias(const char *aliases, const char *word, size_t length)
{
    char name[64];
    if (length >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return ni_word_in(aliases, ',', name) >= 0;
}

/* A switch by the name of its opposite. */
static bool is_opposite(const arg_flag *flag, const char *word, size_t length)
{
    return !*flag->value && !strcmp(flag->name, "undirected") && ni_same_name("directed", word, length);
}

/* Finds --name, an alias, --no-SWITCH, or --directed; *off: the word is the opposite. */
static bool find_long(const command *c, const char *word, size_t length, arg_flag *flag, bool *off)
{
    bool no = length > 3 && (!memcmp(word, "no-", 3) || !memcmp(word, "no_", 3));
    for (size_t i = 0; args_flag(c, i, flag); i++) {
        *off = false;
        if (ni_same_name(flag->name, word, length) || has_alias(flag->aliases, word, length)) return true;
        if (no && is_opposite(flag, word + 3, length - 3)) return true;
        *off = true;
        if (is_opposite(flag, word, length)) return true;
        if (no && !*flag->value && ni_same_name(flag->name, word + 3, length - 3)) return true;
    }
    return false;
}

static bool find_letter(const command *c, char letter, arg_flag *flag)
{
    for (size_t i = 0; args_flag(c, i, flag); i++)
        if (flag->letter == letter) return true;
    return false;
}

static const char *flag_name(const void *from, size_t i)
{
    arg_flag flag;
    return args_flag(from, i, &flag) ? flag.name : NULL;
}

static neap_status unknown(const command *c, const char *dashes, const char *word, neap_error *err)
{
    char name[64];
    size_t length = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", length < 60 ? (int)length : 60, word);
    const char *nearest = ni_nearest_name(name, flag_name, c);
    if (nearest)
        return ni_fail(err, NEAP_E_ARG, "there is no option %s%s; did you mean --%s?", dashes, name,
                       nearest);
    return ni_fail(err, NEAP_E_ARG, "there is no option %s%s", dashes, name);
}

static neap_status bad_number(const arg_option *o, const char *text, neap_error *err)
{
    return ni_fail(err, NEAP_E_ARG, "--%s takes a %snumber from %.10g to %.10g, not '%s'", o->name,
                   o->kind == ARG_WHOLE ? "whole " : "", o->min, o->max, text);
}

/* Puts a value into the struct that the table points into. */
static neap_status set_own(void *base, const arg_option *o, const char *text, neap_error *err)
{
    void *at = (char *)base + o->at;
    uint64_t whole;
    double real;
    switch (o->kind) {
    case ARG_SWITCH: *(bool *)at = !strcmp(text, "yes"); break;
    case ARG_TEXT:
        if (strchr(o->value, '|') && !ni_list_has(o->value, '|', text))
            return ni_fail(err, NEAP_E_ARG, "--%s is one of %s, not '%s'", o->name, o->value, text);
        *(const char **)at = text;
        break;
    case ARG_WHOLE:
        if (!ni_parse_u64(text, strlen(text), &whole) || (double)whole < o->min || (double)whole > o->max)
            return bad_number(o, text, err);
        *(uint64_t *)at = whole;
        break;
    case ARG_REAL:
        if (!ni_parse_double(text, strlen(text), &real) || real < o->min || real > o->max)
            return bad_number(o, text, err);
        *(double *)at = real;
        break;
    }
    return NEAP_OK;
}

static neap_status set_flag(args *a, const arg_option *o, const char *text, neap_error *err)
{
    return set_own(is_general(o) ? (void *)a : a->own, o, text, err);
}

static neap_status set(args *a, const arg_flag *flag, const char *text, neap_error *err)
{
    a->settings[a->setting_count++] = (struct arg_setting){ flag->name, text, flag->own != NULL };
    return flag->own ? set_flag(a, flag->own, text, err) : NEAP_OK;
}

/* A switch alone is yes; --self=no, --directed=1 and --no-self are accepted, too. */
static neap_status set_switch(args *a, const arg_flag *flag, const char *text, bool off, neap_error *err)
{
    static const char yes[] = "yes,true,on,1", no[] = "no,false,off,0";
    if (text && !ni_list_has(yes, ',', text) && !ni_list_has(no, ',', text))
        return ni_fail(err, NEAP_E_ARG, "--%s is a switch: yes or no, not '%s'", flag->name, text);
    bool on = !text || ni_list_has(yes, ',', text);
    return set(a, flag, on != off ? "yes" : "no", err);
}

typedef struct cursor {
    char **at, **end;
} cursor;

/* The value behind an option; another option instead means that the value is missing. */
static neap_status take_value(const command *c, cursor *line, const char *name, const char **value,
                              neap_error *err)
{
    arg_flag other;
    bool off;
    if (line->at == line->end) return ni_fail(err, NEAP_E_ARG, "--%s needs a value", name);
    *value = *line->at++;
    if (!strncmp(*value, "--", 2) && find_long(c, *value + 2, strcspn(*value + 2, "="), &other, &off))
        return ni_fail(err, NEAP_E_ARG, "--%s needs a value; if '%s' is meant, write --%s=%s", name, *value,
                       name, *value);
    return NEAP_OK;
}

static neap_status parse_long(args *a, const char *word, cursor *line, neap_error *err)
{
    arg_flag flag;
    bool off;
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!find_long(a->command, word, length, &flag, &off)) return unknown(a->command, "--", word, err);
    if (!*flag.value) return set_switch(a, &flag, value, off, err);
    if (!value) {
        neap_status rc = take_value(a->command, line, flag.name, &value, err);
        if (rc) return rc;
    }
    return set(a, &flag, value, err);
}

/* word2vec and fastText take `-dim 200`; the error names the spelling of this program. */
static neap_status single_dash(const char *word, const arg_flag *flag, const cursor *line, neap_error *err)
{
    int n = (int)strcspn(word, "=");
    bool value = *flag->value && !word[n] && line->at < line->end;
    return ni_fail(err, NEAP_E_ARG, "-%s is written with two dashes: did you mean --%s%s%s?", word, word,
                   value ? " " : "", value ? *line->at : "");
}

/* -q, -d 128, -d128, -qd128. */
static neap_status parse_letters(args *a, const char *word, cursor *line, neap_error *err)
{
    arg_flag flag;
    bool off;
    size_t length = strcspn(word, "=");
    if (length > 1 && find_long(a->command, word, length, &flag, &off))
        return single_dash(word, &flag, line, err);
    for (const char *letter = word; *letter; letter++) {
        const char *value = letter + 1;
        neap_status rc = NEAP_OK;
        if (!find_letter(a->command, *letter, &flag)) return unknown(a->command, "-", word, err);
        if (*flag.value) {
            if (!*value) rc = take_value(a->command, line, flag.name, &value, err);
            return rc ? rc : set(a, &flag, value, err);
        }
        rc = set_switch(a, &flag, NULL, false, err);
        if (rc) return rc;
    }
    return NEAP_OK;
}

static neap_status parse_line(args *a, cursor line, neap_error *err)
{
    neap_status rc = NEAP_OK;
    bool options = true;
    while (rc == NEAP_OK && line.at < line.end) {
        char *word = *line.at++;
        if (!options || word[0] != '-' || !word[1]) a->operands[a->operand_count++] = word;
        else if (!strcmp(word, "--")) options = false;
        else if (word[1] == '-') rc = parse_long(a, word + 2, &line, err);
        else rc = parse_letters(a, word + 1, &line, err);
    }
    return rc;
}

static neap_status set_defaults(args *a, neap_error *err)
{
    neap_status rc = NEAP_OK;
    arg_flag flag;
    for (size_t i = 0; rc == NEAP_OK && args_flag(a->command, i, &flag); i++)
        if (flag.own && flag.own->initial) rc = set_flag(a, flag.own, flag.own->initial, err);
    return rc;
}

/* Operands and required options are complete. */
static neap_status check_complete(const args *a, neap_error *err)
{
    const command *c = a->command;
    if (a->operand_count < c->least)
        return ni_fail(err, NEAP_E_ARG, "an argument is missing; usage: neap %s %s", c->name, c->operands);
    if (a->operand_count > c->most)
        return ni_fail(err, NEAP_E_ARG, "'%s' is one argument too many; usage: neap %s %s",
                       a->operands[c->most], c->name, c->operands);
    for (const arg_option *o = c->options; o && o->name; o++)
        if (o->required && !*(const char **)((char *)a->own + o->at))
            return ni_fail(err, NEAP_E_ARG, "--%s %s is needed", o->name, o->value);
    return NEAP_OK;
}

/* The library's `dim` is --dim here. */
static neap_status set_option(neap_options *to, const char *name, const char *value, neap_error *err)
{
    neap_error why = { 0 };
    neap_status rc = neap_options_set(to, name, value, &why);
    if (rc != NEAP_OK) ni_fail(err, rc, "--%s", why.text);
    return rc;
}

neap_status args_options_with(const args *a, const char *preset, neap_options **out, neap_error *err)
{
    neap_status rc = neap_options_create(preset, out, err);
    if (rc == NEAP_OK && a->command->method)
        rc = neap_options_suggest(*out, "method", a->command->method, err);
    for (size_t i = 0; i < a->setting_count && rc == NEAP_OK; i++)
        if (!a->settings[i].own) rc = set_option(*out, a->settings[i].name, a->settings[i].value, err);
    if (rc == NEAP_OK) return rc;
    neap_options_free(*out);
    *out = NULL;
    return rc;
}

neap_status args_options(const args *a, neap_options **out, neap_error *err)
{
    return args_options_with(a, a->preset, out, err);
}

size_t args_times(const args *a, const char *name)
{
    size_t times = 0;
    for (size_t i = 0; i < a->setting_count; i++) times += !strcmp(a->settings[i].name, name);
    return times;
}

const char *args_value(const args *a, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < a->setting_count; i++)
        if (!strcmp(a->settings[i].name, name)) value = a->settings[i].value;
    return value;
}

const char *args_text(const args *a, const char *name)
{
    for (const arg_option *o = a->command->options; o && o->name; o++)
        if (o->kind == ARG_TEXT && !strcmp(o->name, name)) return *(const char **)((char *)a->own + o->at);
    return NULL;
}

bool args_given(const args *a, const char *name)
{
    return args_times(a, name) > 0;
}

/* A word gives at most one operand; a word of n letters, at most n settings. */
static bool make_room(args *a, int argc, char **argv)
{
    size_t letters = 1;
    for (int i = 0; i < argc; i++) letters += strlen(argv[i]);
    a->operands = calloc((size_t)argc + 1, sizeof *a->operands);
    a->settings = calloc(letters, sizeof *a->settings);
    a->own = calloc(1, a->command->own_size + 1);
    return a->operands && a->settings && a->own;
}

neap_status args_parse(const command *c, int argc, char **argv, args *a, neap_error *err)
{
    *a = (args){ .command = c };
    if (!make_room(a, argc, argv)) return ni_fail(err, NEAP_E_MEM, "out of memory for the command line");
    neap_status rc = set_defaults(a, err);
    if (rc == NEAP_OK) rc = parse_line(a, (cursor){ argv, argv + argc }, err);
    if (rc == NEAP_OK && !a->help) rc = check_complete(a, err);
    if (rc == NEAP_OK) rc = args_options(a, &a->options, err);
    return rc;
}

void args_free(args *a)
{
    neap_options_free(a->options);
    free(a->operands);
    free(a->settings);
    free(a->own);
    *a = (args){ 0 };
}
