#include "neap.h"

#define TEXT(x) #x
#define NUMBERS(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *neap_version(void)
{
    return NUMBERS(NEAP_VERSION_MAJOR, NEAP_VERSION_MINOR, NEAP_VERSION_PATCH);
}
