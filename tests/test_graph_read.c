#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "faults.h"
#include "graph/graph.h"
#include "scratch.h"

/* Options as "name=value name=value". */
static neap_options *options_of(const char *text)
{
    neap_options *o;
    neap_error err = { 0 };
    char copy[200], *save, *word;
    assert_int_equal(neap_options_create(NULL, &o, &err), NEAP_OK);
    snprintf(copy, sizeof copy, "%s", text);
    for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = 0;
        assert_int_equal(neap_options_set(o, word, value, &err), NEAP_OK);
    }
    return o;
}

static neap_status load(const char *path, const char *options, neap_graph **g, neap_error *err)
{
    neap_options *o = options_of(options);
    neap_status rc = neap_graph_load(path, o, NULL, g, err);
    neap_options_free(o);
    return rc;
}

static neap_graph_report report_of(const neap_graph *g)
{
    neap_graph_report r = NEAP_SIZED(neap_graph_report);
    assert_int_equal(neap_graph_report_of(g, &r, NULL), NEAP_OK);
    assert_int_equal(r.size, sizeof r);
    return r;
}

/* "a b c: a>b a>c:2.5", nodes in their order, weights only where there are some. */
static void describe(const neap_graph *g, char *text, size_t room)
{
    size_t used = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", u ? " " : "", ni_name(&g->names, u));
    used += (size_t)snprintf(text + used, room - used, ":");
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            used += (size_t)snprintf(text + used, room - used, " %s>%s", ni_name(&g->names, u),
                                     ni_name(&g->names, g->target[i]));
            if (g->weight) used += (size_t)snprintf(text + used, room - used, ":%g", (double)g->weight[i]);
        }
}

static void reads(const char *file, const char *bytes, size_t size, const char *options,
                  const char *expected)
{
    neap_graph *g = NULL;
    neap_error err = { 0 };
    char text[1000];
    scratch_put(file, bytes, size);
    if (load(file, options, &g, &err)) fail_msg("%s", err.text);
    describe(g, text, sizeof text);
    assert_string_equal(text, expected);
    neap_graph_free(g);
}

#define READS(bytes, options, expected) reads("g.txt", bytes, sizeof bytes - 1, options, expected)
#define READS_AS(file, bytes, expected) reads(file, bytes, sizeof bytes - 1, "", expected)

static void refuses(const char *file, const char *bytes, size_t size, const char *options, neap_status code,
                    uint64_t line, const char *words)
{
    neap_graph *g = (neap_graph *)&line;
    neap_error err = { 0 };
    scratch_put(file, bytes, size);
    assert_int_equal(load(file, options, &g, &err), code);
    assert_null(g);
    assert_int_equal(err.code, code);
    if (err.where != line) fail_msg("line %llu: %s", (unsigned long long)err.where, err.text);
    if (!strstr(err.text, words)) fail_msg("'%s' lacks '%s'", err.text, words);
}

#define REFUSES(bytes, line, words)                                                                        \
    refuses("g.txt", bytes, sizeof bytes - 1, "", NEAP_E_FORMAT, line, words)
#define REFUSES_AS(file, bytes, line, words)                                                               \
    refuses(file, bytes, sizeof bytes - 1, "", NEAP_E_FORMAT, line, words)

static void an_id_is_a_name_never_an_index(void **state)
{
    (void)state;
    READS("1 9223372036854775807\n", "", "1 9223372036854775807: 1>9223372036854775807");
    READS("7 007\n0 00\n", "", "7 007 0 00: 7>007 0>00");
    READS("12345678 123456789\n-1 1.0\n", "", "12345678 123456789 -1 1.0: 12345678>123456789 -1>1.0");
    READS("4294967296 0\n0 4294967296\n", "", "4294967296 0: 4294967296>0 0>4294967296");
}

static void nodes_are_numbered_by_first_appearance(void **state)
{
    (void)state;
    READS("z y\nx z\ny x\n", "", "z y x: z>y y>x x>z");
}

static void the_delimiter_is_found_in_the_first_line(void **state)
{
    (void)state;
    READS("1\t2\n3\t4\n", "", "1 2 3 4: 1>2 3>4");
    READS("a b,c\nd , e f \n", "", "a b c d e f: a b>c d>e f");
    READS("1;2\n", "", "1 2: 1>2");
    READS("1|2\n", "", "1 2: 1>2");
    READS("  1 \t 2  \n", "delimiter=space", "1 2: 1>2");
    READS(" 1   2 \n", "", "1 2: 1>2");
    READS("a,b c\n", "delimiter=space", "a,b c: a,b>c");
    READS("a:b\n", "delimiter=:", "a b: a>b");
    READS("a b\tc\n", "delimiter=tab", "a b c: a b>c");
    refuses("g.txt", "a b\n", 4, "delimiter=xx", NEAP_E_ARG, 0, "delimiter");
}

static void comments_and_blank_lines_are_skipped(void **state)
{
    (void)state;
    READS("# SNAP\n% KONECT\n\n  \t\n1 2\n#3 4\n5 #6\n", "", "1 2 5 #6: 1>2 5>#6");
    READS("1 2\n #3 4\n", "", "1 2 #3 4: 1>2 #3>4");
}

static void line_ends_and_marks_do_not_matter(void **state)
{
    (void)state;
    READS("1 2\r\n3 4\r\n", "", "1 2 3 4: 1>2 3>4");
    READS("1 2\n3 4", "", "1 2 3 4: 1>2 3>4");
    READS("1 2\r\n3 4\r", "", "1 2 3 4: 1>2 3>4");
    READS("\xef\xbb\xbf"
          "1 2\n",
          "", "1 2: 1>2");
    READS("\xef\xbb\xbf# c\n1 2\n", "", "1 2: 1>2");
    REFUSES("\xef\xbb\xbf", 0, "no edges in g.txt");
    REFUSES("\xff\xfe"
            "1\0 \0",
            1, "UTF-16");
    REFUSES("1 2\r3 4\n", 1, "g.txt:1:4: a carriage return");
}

static void a_nul_byte_is_refused(void **state)
{
    (void)state;
    REFUSES("1 2\n3 \0 4\n", 2, "g.txt:2:3: a NUL");
    REFUSES("1 2 5\n3 4 \0\n", 2, "g.txt:2:5: a NUL");
}

static void quotes_follow_rfc_4180(void **state)
{
    (void)state;
    READS("\"a, b\",\"say \"\"yes\"\"\"\n", "", "a, b say \"yes\": a, b>say \"yes\"");
    READS(" \"a\" ; \"b\"\n", "", "a b: a>b");
    READS("a\"b,c\n", "", "a\"b c: a\"b>c");
    REFUSES("a,b\nc,\"d\n", 2, "g.txt:2:3: a quoted name must end");
    REFUSES("\"a\"x,b\n", 1, "g.txt:1:1: a quoted name must end");
    REFUSES("\"a\"\"b\",\n", 1, "g.txt:1:8: the name in column 2 is empty");
}

static void quotes_hold_between_blanks_and_tabs_too(void **state)
{
    (void)state;
    READS("\"New York\" \"Los Angeles\"\nParis  \"New York\"  \n", "",
          "New York Los Angeles Paris: New York>Los Angeles Paris>New York");
    READS("\"a\tb\"\tc\n", "", "a\tb c: a\tb>c");
    READS("\"a\" \t\"say \"\"yes\"\"\"\n", "", "a say \"yes\": a>say \"yes\"");
    READS("a \"b c\" 2\n", "", "a b c: a>b c:2");
    READS("\"a|b\"|c\n", "", "a|b c: a|b>c");
    READS("\"Smith, J\" \"Doe, A\"\n", "", "Smith, J Doe, A: Smith, J>Doe, A");
    READS("5\" 3.5\",x\n", "", "5\" 3.5\" x: 5\" 3.5\">x"); /* quotes that do not pair hide no comma */
    READS_AS("g.adj", "a \"b c\" d\n", "a b c d: a>b c a>d");
    REFUSES("a b\nc \"d e\n", 2, "g.txt:2:3: a quoted name must end with a quote before a blank");
    REFUSES("a\tb\n\"c\td\n", 2, "g.txt:2:1: a quoted name must end with a quote before a tab");
    REFUSES("\"a\" \"\"\n", 1, "the name in column 2 is empty");
}

static void what_only_begins_like_a_quoted_name_is_taken_as_it_stands(void **state)
{
    (void)state;
    READS("\"Weird Al\" Yankovic\tx\n", "", "\"Weird Al\" Yankovic x: \"Weird Al\" Yankovic>x");
    READS("\"a\"b c\n", "", "\"a\"b c: \"a\"b>c");
}

static void a_third_column_of_numbers_is_the_weight(void **state)
{
    (void)state;
    READS("1 2 0.5\n2 3 1e3 x\n", "", "1 2 3: 1>2:0.5 2>3:1000");
    READS("1 2 0.5\n2 3\n", "weights=ignore", "1 2 3: 1>2 2>3");
    READS("a b friend\nc d 5\n", "weights=ignore", "a b c d: a>b c>d");
    READS("a,b,\"2\"\n", "", "a b: a>b:2");
    REFUSES("1 2 1\n3 4\n", 2, "g.txt:2:1: no weight in column 3");
    REFUSES("1 2 1\n3 4 x\n", 2, "g.txt:2:5: 'x' is no finite number");
    REFUSES("1 2 nan\n", 1, "g.txt:1:5: 'nan' is no finite");
    REFUSES("1 2 -inf\n", 1, "'-inf' is no finite");
    REFUSES("1 2 1\n1 2 -3\n", 2, "the weight -3 is not a positive");
    REFUSES("1 2 0\n", 1, "the weight 0 is not");
    REFUSES("1 2 1e-60\n", 1, "the weight 1e-60 is not");
    REFUSES("1 2 1e60\n", 1, "the weight 1e60 is not");
    REFUSES("1 2 3e38\n1 2 3e38\n", 0, "add up to infinity");
}

static void a_header_is_recognised_by_words_or_by_numbers_below(void **state)
{
    (void)state;
    READS("Source,Target,Type\na,b,x\n", "", "a b: a>b");
    READS("from\tto\tweight\na\tb\t2\n", "", "a b: a>b:2");
    READS("id1 id2\n1 2\n3 4\n", "", "1 2 3 4: 1>2 3>4");
    READS("id1 id2 w\n1 2 7\n3 4 8\n", "", "1 2 3 4: 1>2:7 3>4:8");
    READS("id id\n1 2\n", "", "1 2: 1>2");
    READS("id1 id2\n1 2\n3 x\n", "", "id1 id2 1 2 3 x: id1>id2 1>2 3>x");
    REFUSES("id1 id2 w\n1 2 7\nx 4 8\n", 1, "g.txt:1:9: column 3 holds 'w', which is no number");
    REFUSES("id1 id2 w\n1 2 7\nx 4 8\n", 1, "if this line is a header: --header yes");
    REFUSES("id1 id2\n1 2 7\nx 4 8\n", 1, "g.txt:1:1: no weight in column 3, though the lines below");
    READS("id1 id2\n1 2 7\nx 4 8\n", "header=yes", "1 2 x 4: 1>2:7 x>4:8");
    READS("id1 id2\n1 2\nid1 3\n", "", "id1 id2 1 2 3: id1>id2 id1>3 1>2");
    READS("id1 id2\n1 id2\n", "", "id1 id2 1: id1>id2 1>id2");
    READS("a b\n", "", "a b: a>b");
    READS("a 1\n2 3\n", "", "a 1 2 3: a>1 2>3");
    READS("a b 5\n1 2 6\n", "", "a b 1 2: a>b:5 1>2:6");
    READS("id1 id2\n1 2\n", "header=no", "id1 id2 1 2: id1>id2 1>2");
    READS("source target\n1 2\n", "header=no", "source target 1 2: source>target 1>2");
    READS("1 2\n3 4\n", "header=yes", "3 4: 3>4");
}

static void a_header_chooses_the_columns(void **state)
{
    (void)state;
    READS("target,source\na,b\n", "", "b a: b>a");
    READS("to\tfrom\na\tb\nc\td\n", "", "b a d c: b>a d>c");
    READS("Id,Source,Target,Type,Weight\n7,a,b,x,2\n8,b,c,y,0.5\n", "", "a b c: a>b:2 b>c:0.5");
    READS("weight;dst;src\n3;a;b\n", "", "b a: b>a:3");
    READS("target_id,Source ID\n1,2\n", "", "2 1: 2>1");
    READS("FromNodeId ToNodeId\na b\n", "", "a b: a>b");
    READS("source,destination,count\na,b,2\n", "", "a b: a>b:2");
    READS("source,target,from\na,b,x\n", "", "a b: a>b");
    READS("src,to\na,b\n", "", "a b: a>b");
    READS("tail,head\na,b\n", "", "a b: a>b");
    READS("v,u,weight\na,b,2\n", "", "b a: b>a:2");
    READS("v,u\na,b\n", "header=yes", "b a: b>a");
    READS("u v\nv w\n", "", "u v w: u>v v>w"); /* names, for all we know */
    READS("node1 node2\nnode2 node3\n", "", "node1 node2 node3: node1>node2 node2>node3");
    READS("1,2,from,to\n", "columns=1,2", "1 2: 1>2");
    READS("source,target,source\na,b,c\n", "header=no columns=1,2", "source target a b: source>target a>b");
    REFUSES("a,source,target\n1,2\n", 2, "g.txt:2:1: no column 3, where the header or --columns says");
    REFUSES("x,source,target\n\"1,a,b\n", 2, "g.txt:2:1: a quoted name must end");
}

static void a_column_is_a_weight_only_if_its_header_says_so(void **state)
{
    (void)state;
    READS("source,target,timestamp\na,b,1500000000\n", "", "a b: a>b");
    READS("source,target,date,weight\na,b,2020,3\n", "", "a b: a>b:3");
    READS("source,target,count,weight\na,b,5,3\n", "", "a b: a>b:3");
    READS("id1 id2 time\n1 2 7\n3 4 8\n", "", "1 2 3 4: 1>2 3>4");
    READS("id1 id2 time weight\n1 2 7 5\n3 4 8 6\n", "", "1 2 3 4: 1>2:5 3>4:6");
    READS("a b time\nc d 8\n", "header=yes", "c d: c>d");
    READS("source target\na b 2\n", "", "a b: a>b:2"); /* a column without a word */
    READS("source,target,weight\na,b,2\n", "weights=ignore", "a b: a>b");
    REFUSES("source,x,target,weight\na,1,b,2\na,1,c\n", 3, "g.txt:3:1: no weight in column 4");
}

static void columns_are_chosen_by_number(void **state)
{
    (void)state;
    READS("a b\nb c\n", "columns=2,1", "b a c: b>a c>b");
    READS("a knows b\nb likes c\n", "columns=1,3", "a b c: a>b b>c");
    READS("2,a,x,b\n3,b,y,c\n", "columns=2,4,1", "a b c: a>b:2 b>c:3");
    READS("a b 3\n", "columns=1,2", "a b: a>b");
    READS("a b 3\n", "columns=1,2,3 weights=ignore", "a b: a>b");
    READS("n s t\n7 1 2\n8 2 3\n", "columns=2,3", "1 2 3: 1>2 2>3");
    READS("s t\n1 2\n", "columns=2,1 header=no", "t s 2 1: t>s 2>1");
    READS("target,source,source\na,b,c\n", "columns=3,1", "c a: c>a");
    READS("a b price\nc d 3\n", "columns=1,2,3", "c d: c>d:3"); /* no weight, hence a header */
    READS("a b\nc d 3\n", "columns=1,2", "a b c d: a>b c>d");
    refuses("g.txt", "a b\n", 4, "columns=1,2,3", NEAP_E_FORMAT, 1,
            "no weight in column 3, though --columns");
    refuses("g.txt", "a b 1\nc\n", 8, "columns=2,1", NEAP_E_FORMAT, 2, "g.txt:2:1: only 1 column");
    refuses("g.txt", "a b\n", 4, "columns=1,4", NEAP_E_FORMAT, 1,
            "no column 4, where the header or --columns");
    refuses("g.txt", "a k b\nb k c\n", 12, "columns=1,2,3", NEAP_E_FORMAT, 2, "'c' is no number");
}

static void columns_are_chosen_by_the_words_of_the_header(void **state)
{
    (void)state;
    READS("id,buyer,item\n1,a,b\n2,c,d\n", "columns=buyer,item", "a b c d: a>b c>d");
    READS("id,buyer,item\n1,a,b\n", "columns=item,buyer,id", "b a: b>a:1");
    READS("id,The_Buyer,item\n1,a,b\n", "columns=thebuyer,3", "a b: a>b");
    READS("Price,price,x\n1,a,b\n", "columns=x,price", "b a: b>a"); /* the same letters go first */
    READS("s,t,when,time\na,b,2,3\n", "columns=s,t,when", "a b: a>b:2");
    READS("head,relation,tail\na,likes,b\n", "columns=head,tail", "a b: a>b");
    refuses("g.txt", "a,b\nc,d\n", 8, "columns=a,x", NEAP_E_FORMAT, 1,
            "g.txt:1:1: no column is called 'x'");
    refuses("g.txt", "a,A b,a_b\nc,d,e\n", 16, "columns=a,AB", NEAP_E_FORMAT, 1,
            "2 columns are called 'AB'");
    refuses("g.txt", "a,b\nc,d\n", 8, "columns=a,1", NEAP_E_FORMAT, 1, "names column 1 twice");
}

static void columns_that_make_no_sense_are_a_usage_error(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "1", "1,1", "0,1", "1,", ",2", "1,2,3,4", "a,b,c,d", "1,99999999999"
    };
    char options[60];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(options, sizeof options, "columns=%s", bad[i]);
        refuses("g.txt", "a b c\n", 6, options, NEAP_E_ARG, 0, "columns are source,target or");
    }
    refuses("g.txt", "a b\n", 4, "columns=a,b header=no", NEAP_E_ARG, 0, "--header no");
    refuses("g.adj", "a b\n", 4, "columns=2,1", NEAP_E_ARG, 0, "--columns is for edge lists");
}

static void relations_are_refused_with_a_way_out(void **state)
{
    (void)state;
    const char triples[] = "alice knows bob\nbob knows carol\n";
    REFUSES("alice knows bob\n", 1, "g.txt:1:13: column 3 holds 'bob', which is no number");
    REFUSES(triples, 1, "neap has no relations: --columns 1,3");
    READS(triples, "columns=1,3", "alice bob carol: alice>bob bob>carol");
    REFUSES("1 likes bob\n", 1, "no relations");
    REFUSES("a,b,friend\n", 1, "--columns 1,2 leaves it out");
    REFUSES("subject,predicate,object\na,likes,b\n", 1, "no relations");
    REFUSES("head,relation,tail\na,likes,b\n", 1,
            "calls column 2 a relation, and neap has no relations; --columns 1,3");
    refuses("g.txt", "head,relation,tail\na,likes,b\n", 29, "columns=head,relation", NEAP_E_FORMAT, 1,
            "calls column 2 a relation");
    REFUSES("source target\na b x\n", 2, "g.txt:2:5: column 3 holds 'x'");
    REFUSES("a -> b\nb -> c\n", 1, "g.txt:1:3: this looks like DOT");
    READS("a -> b\nb -> c\n", "columns=1,3", "a b c: a>b b>c");
    REFUSES("a b 2010-11-08\n", 1, "looks like a date");
}

static void lines_with_more_columns_than_the_first_are_refused(void **state)
{
    (void)state;
    REFUSES("1 2\n2 3 4 5\n", 2, "g.txt:2:5: a third column, which the first edge has not");
    REFUSES("source target\na b\nc d 5\n", 3, "a third column");
    REFUSES("a b\nc knows d\n", 2, "no relations");
    REFUSES("a b\nc d\nd knows a\n", 3, "a third column");
    READS("1 2\n2 3 4 5\n", "columns=1,2", "1 2 3: 1>2 2>3");
    READS("1 2\n2 3 4 5\n", "weights=ignore", "1 2 3: 1>2 2>3");
    READS("1 2 \n2 3\t \n", "", "1 2 3: 1>2 2>3");
    READS("1,2\n2,3,\n", "", "1 2 3: 1>2 2>3");
}

/* An edge that lacks what the others have must not pass as a header, nor take their weights with it. */
static void a_first_line_with_an_empty_third_column_hides_no_weights(void **state)
{
    (void)state;
    const char text[] = "a,b,\nc,d,3\n";
    REFUSES(text, 1, "no weight in column 3, though the lines below have one");
    REFUSES("a\tb\t\t5\nc\td\t3\t7\n", 1, "no weight in column 3, though the lines below have one");
    REFUSES("a,b,\nc,d,knows\n", 2, "column 3 holds 'knows'");
    refuses("g.txt", text, sizeof text - 1, "columns=1,2,3", NEAP_E_FORMAT, 1,
            "no weight in column 3, though --columns names it");
    READS("a,b,\nc,d,\n", "", "a b c d: a>b c>d");
    READS("x,y,\n1,2,3\n2,3,4\n", "", "1 2 3: 1>2:3 2>3:4");
    READS("source,target,\n1,2,3\n", "", "1 2: 1>2:3");
}

static void attributes_of_networkx_are_refused(void **state)
{
    (void)state;
    const char two[] = "1 2 {'weight': 4, 'since': 2}\n2 3 {}\n";
    REFUSES("1 2 {'weight': 4}\n", 1, "g.txt:1:5: attributes in braces, as NetworkX's write_edgelist");
    REFUSES("1 2 {}\n", 1, "attributes in braces");
    REFUSES("ann bob {}\nbob cid {}\n", 1, "attributes in braces");
    REFUSES("1,2,{'weight': 4}\n", 1, "attributes in braces");
    REFUSES(two, 1, "attributes in braces");
    READS(two, "columns=1,2", "1 2 3: 1>2 2>3");
    READS(two, "weights=ignore", "1 2 3: 1>2 2>3");
    READS("a,{b}\n", "", "a {b}: a>{b}");
    READS("a b,{}\n", "", "a b {}: a b>{}");
}

static void other_formats_are_called_by_their_name(void **state)
{
    (void)state;
    REFUSES("digraph G {\n a -> b;\n}\n", 1, "g.txt:1:1: this looks like DOT (Graphviz), not like edges");
    REFUSES("// made by hand\nstrict graph {\n a -- b;\n}\n", 1, "DOT");
    REFUSES("/* a\n b */\ngraph \"my graph\" {\n", 1, "DOT");
    REFUSES("graph{a--b}\n", 1, "DOT");
    REFUSES("graph [\n  node [ id 1 ]\n", 1, "GML");
    REFUSES("Creator \"x 1\"\nVersion 1\ngraph\n[\n", 1, "GML");
    REFUSES("<graphml xmlns=\"x\">\n", 1, "GraphML");
    REFUSES("\n<?xml version='1.0'?>\n", 2, "XML");
    REFUSES("<gexf>\n", 1, "GEXF");
    REFUSES("<!DOCTYPE html>\n<html>\n", 1, "an HTML page");
    REFUSES("*Vertices 3\n1 \"a\"\n", 1, "Pajek");
    REFUSES("{\"nodes\": [], \"links\": []}\n", 1, "JSON");
    REFUSES("{\n  \"a\": [\"b\"]\n}\n", 1, "JSON");
    REFUSES("[[1, 2], [2, 3]]\n", 1, "JSON");
    REFUSES("@prefix x: <http://x/> .\n", 1, "Turtle");
    REFUSES("\x80\x04\x95\x01", 0, "a Python pickle");
    const char triples[] = "<http://x/a,b> <http://x/p> <http://x/c> .\n_:d <http://x/p> <http://x/c> .\n";
    REFUSES(triples, 1, "N-Triples (RDF), not like edges; neap has no relations; --columns 1,3");
    READS(triples, "columns=1,3 delimiter=space",
          "<http://x/a,b> <http://x/c> _:d: <http://x/a,b>><http://x/c> _:d><http://x/c>");
    READS("graph theory\nstrict graph\n", "", "graph theory strict: graph>theory strict>graph");
    READS("{a} {b}\n[1] [2]\n", "", "{a} {b} [1] [2]: {a}>{b} [1]>[2]");
    READS("<a> <b>\n", "", "<a> <b>: <a>><b>");
    READS("graph {\n", "columns=1,2", "graph {: graph>{");
}

static void unix_time_is_no_weight(void **state)
{
    (void)state;
    const char snap[] = "1 4 1254192988\n2 4 1254194656\n";
    REFUSES("1 4 1254192988\n", 1,
            "g.txt:1:5: column 3 looks like Unix time, not like a weight (1254192988 is in the year 2009)");
    REFUSES(snap, 1, "--columns 1,2 or --weights ignore reads the links without it, --columns 1,2,3 takes");
    READS(snap, "columns=1,2", "1 4 2: 1>4 2>4");
    READS(snap, "weights=ignore", "1 4 2: 1>4 2>4");
    READS("1 4 1254192988\n", "columns=1,2,3", "1 4: 1>4:1.25419e+09");
    REFUSES("1 4 1254192988123\n", 1, "in the year 2009"); /* milliseconds */
    REFUSES("1 2 0 885635999.999997\n1 3 1 885635999.999997\n", 1,
            "g.txt:1:7: column 4 looks like Unix time");
    REFUSES("6,2,4,1289241912\r\n6,5,2,1289241942\r\n", 1, ", --columns 1,2,3 takes column 3 as weight");
    READS("6,2,4,1289241912\r\n6,5,2,1289241942\r\n", "columns=1,2,3", "6 2 5: 6>2:4 6>5:2");
    READS("a b 1254192988\na c 5\n", "", "a b c: a>b:1.25419e+09 a>c:5"); /* not all of them */
    READS("a b 5\na c 1254192988\n", "", "a b c: a>b:5 a>c:1.25419e+09");
    READS("a b 99999999\n", "", "a b: a>b:1e+08");
    READS("a b 20100101\n", "", "a b: a>b:2.01001e+07");
    READS("source,target,weight\na,b,1254192988\n", "", "a b: a>b:1.25419e+09"); /* the header says so */
    REFUSES("source target\na b 1254192988\n", 2, "Unix time");
    REFUSES("1 2 0\r\n3 4 2797\r\n3 5 3304\r\n", 1, "g.txt:1:5: column 3 rises from line to line");
    REFUSES("1 2 0\n3 4 1\n3 5 0\n", 1,
            "the weight 0 is not a positive number of ordinary size (a time or");
    REFUSES("1 2 1\n3 4 -1\n", 2, "the weight -1 is not a positive number of ordinary size (a rating");
}

static void a_time_by_its_header_is_left_out_and_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t column;
    } cases[] = { { "src dst time\n1 2 1082040961\n3 4 1082155839\n", 3 },
                  { "id1 id2 weight Time-Stamp\n1 2 3 1082040961\n", 4 },
                  { "id1 id2\n1 2\n", 0 },
                  { "source,target,weight\na,b,1\n", 0 },
                  { "a b time\n", 0 },
                  { "time user\n1 2\n", 0 } }; /* the source is not left out */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neap_graph *g;
        neap_error err = { 0 };
        scratch_put("g.txt", cases[i].text, strlen(cases[i].text));
        if (load("g.txt", i == 4 ? "columns=1,2" : "", &g, &err)) fail_msg("%s", err.text);
        assert_int_equal(report_of(g).time_column, cases[i].column);
        assert_int_equal(report_of(g).weighted, i == 1 || i == 3);
        neap_graph_free(g);
    }
}

static void a_header_that_names_two_pairs_is_refused(void **state)
{
    (void)state;
    REFUSES("source,target,from,to\na,b,c,d\n", 1, "g.txt:1:1: the header names several columns");
    REFUSES("source,source_id,target\na,1,b\n", 1, "several columns");
    REFUSES("source,from,dst\na,1,b\n", 1, "several columns");
}

static void check_hint(const char *text, const char *options, int expected)
{
    neap_graph *g;
    neap_error err = { 0 };
    scratch_put("g.csv", text, strlen(text));
    assert_int_equal(load("g.csv", options, &g, &err), NEAP_OK);
    if (report_of(g).maybe_header != expected) fail_msg("%s", text);
    neap_graph_free(g);
}

static void a_first_line_whose_words_never_return_is_reported(void **state)
{
    (void)state;
    check_hint("follower,followee\nann,bob\nbob,cid\n", "", 1);
    check_hint("follower,followee\nann,bob\nbob,followee\n", "", 0);
    check_hint("follower,followee\nann,bob\nfollower,bob\n", "", 0);
    check_hint("follower,followee\nann,bob\n", "header=no", 0);
    check_hint("follower,followee\nann,bob\n", "header=yes", 0);
    check_hint("follower,followee\n1,2\n", "", 0); /* taken for a header */
    check_hint("ann,bob\n", "", 0);
    check_hint("1,2\n3,4\n", "", 0);
    check_hint("ann,bob,2\ncid,dan,3\n", "", 0);
}

static void what_was_decided_is_reported(void **state)
{
    (void)state;
    neap_graph *g;
    neap_error err = { 0 };
    const char text[] = "# c\nu,v,w\n1,2,3\n2,2,1\n1,2,1\n";
    scratch_put("g.csv", text, sizeof text - 1);
    assert_int_equal(load("g.csv", "", &g, &err), NEAP_OK);
    neap_graph_report r = report_of(g);
    assert_int_equal(r.lines, 5);
    assert_int_equal(r.edges_read, 3);
    assert_int_equal(r.repeats, 1);
    assert_int_equal(r.self_loops, 1);
    assert_int_equal(r.isolated, 0);
    assert_int_equal(r.weighted, 1);
    assert_int_equal(r.header, 1);
    assert_int_equal(r.delimiter, ',');
    assert_string_equal(r.format, "edges");
    assert_string_equal(r.compression, "none");
    neap_graph_free(g);
}

static void repeats_merge_and_undirected_pairs_stand_at_the_smaller_node(void **state)
{
    (void)state;
    READS("a b 1\nb a 2\na b 4\n", "", "a b: a>b:5 b>a:2");
    READS("a b 1\nb a 2\na b 4\n", "undirected=yes", "a b: a>b:7");
    READS("a b\nc a\nc c\n", "undirected=yes", "a b c: a>b a>c c>c");
}

static void what_is_no_edge_list_is_refused_with_its_place(void **state)
{
    (void)state;
    REFUSES("", 0, "no edges in g.txt");
    REFUSES("# nothing\n\n", 0, "no edges in g.txt");
    REFUSES("source target\n", 0, "no edges");
    REFUSES("lonely\n", 1, "g.txt:1:1: only 1 column; two names are needed, with a blank between");
    REFUSES("1\t2\n3 4\n", 2, "g.txt:2:1: only 1 column; two names are needed, with a tab between");
    REFUSES("1,2\n,3\n", 2, "g.txt:2:1: the name in column 1 is empty");
    REFUSES("1,2\n3, ,4\n", 2, "g.txt:2:3: the name in column 2 is empty");
    neap_graph *g;
    neap_error err = { 0 };
    assert_int_equal(load("absent.txt", "", &g, &err), NEAP_E_READ);
    assert_int_equal(err.sys, ENOENT);
    assert_int_equal(load(".", "", &g, &err), NEAP_E_READ);
}

static char *repeat(const char *head, char c, size_t count, const char *tail, size_t *size)
{
    *size = strlen(head) + count + strlen(tail);
    char *text = malloc(*size + 1);
    memcpy(text, head, strlen(head));
    memset(text + strlen(head), c, count);
    strcpy(text + strlen(head) + count, tail);
    return text;
}

static void names_and_lines_have_a_limit(void **state)
{
    (void)state;
    size_t size;
    neap_graph *g;
    neap_error err = { 0 };
    char *text = repeat("1 2\na ", 'x', 4096, "\n", &size);
    scratch_put("g.txt", text, size);
    assert_int_equal(load("g.txt", "", &g, &err), NEAP_OK);
    assert_int_equal(strlen(neap_graph_name(g, 3)), 4096);
    neap_graph_free(g);
    free(text);
    text = repeat("1 2\na ", 'x', 4097, "\n", &size);
    refuses("g.txt", text, size, "", NEAP_E_LIMIT, 2, "g.txt:2:3: a name of 4097 bytes");
    free(text);
    text = repeat("1 2\n3 4 ", 'x', (1 << 20) - 4, "\n5 6", &size);
    scratch_put("g.txt", text, size);
    assert_int_equal(load("g.txt", "columns=1,2", &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_edges(g), 3);
    neap_graph_free(g);
    free(text);
    text = repeat("1 2\n3 4 ", 'x', (1 << 20) - 3, "\n5 6", &size);
    refuses("g.txt", text, size, "", NEAP_E_LIMIT, 2, "g.txt:2:1: a line of more than 1048576 bytes");
    free(text);
}

static void write_gzip(const char *path, const char *text, size_t size, const char *mode)
{
    gzFile file = gzopen(path, mode);
    assert_int_equal(gzwrite(file, text, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
}

static void a_line_without_end_costs_no_memory(void **state)
{
    (void)state;
    size_t size = 16 << 20;
    char *text = malloc(size);
    memset(text, '7', size);
    write_gzip("g.gz", text, size, "wb1");
    free(text);
    neap_graph *g;
    neap_error err = { 0 };
    size_t before = atomic_load(&faults.bytes);
    atomic_store(&faults.peak, before);
    assert_int_equal(load("g.gz", "", &g, &err), NEAP_E_LIMIT);
    assert_int_equal(err.where, 1);
    assert_true(atomic_load(&faults.peak) - before < 8 << 20);
}

static void compression_is_recognised_by_content(void **state)
{
    (void)state;
    neap_graph *g;
    neap_error err = { 0 };
    char packed[200];
    write_gzip("g.txt", "1 2\n3", 5, "wb");
    write_gzip("g.txt", " 4\n", 3, "ab"); /* a second member */
    assert_int_equal(load("g.txt", "", &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_edges(g), 2);
    assert_string_equal(report_of(g).compression, "gzip");
    neap_graph_free(g);
    size_t size = ZSTD_compress(packed, sizeof packed, "1 2\n3", 5, 3);
    size += ZSTD_compress(packed + size, sizeof packed - size, " 4\n", 3, 3);
    scratch_put("g.mtx.zst", packed, size);
    assert_int_equal(load("g.mtx.zst", "format=edges", &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_edges(g), 2);
    assert_string_equal(report_of(g).compression, "zstd");
    neap_graph_free(g);
}

static void a_cut_or_damaged_archive_is_refused(void **state)
{
    (void)state;
    size_t size;
    write_gzip("g.gz", "1 2\n3 4\n", 8, "wb");
    char *packed = scratch_bytes("g.gz", &size);
    for (size_t cut = 2; cut < size; cut++)
        refuses("cut.gz", packed, cut, "", NEAP_E_FORMAT, 0, "the gzip data is damaged");
    packed[size - 6] ^= 1; /* the checksum */
    refuses("bad.gz", packed, size, "", NEAP_E_FORMAT, 0, "the gzip data is damaged");
    packed[size - 6] ^= 1;
    char *longer = malloc(size + 3);
    memcpy(longer, packed, size);
    memcpy(longer + size, "abc", 3);
    refuses("more.gz", longer, size + 3, "", NEAP_E_FORMAT, 0, "something else follows");
    free(longer);
    free(packed);
    char frame[100];
    size = ZSTD_compress(frame, sizeof frame, "1 2\n3 4\n", 8, 3);
    for (size_t cut = 4; cut < size; cut++)
        refuses("cut.zst", frame, cut, "", NEAP_E_FORMAT, 0, "the zstd data is damaged");
}

static void foreign_files_are_called_by_their_name(void **state)
{
    (void)state;
    REFUSES("\xfd\x37zXZ\0\0\x04", 0,
            "g.txt: this is xz data, not text; unpack it on the way: `xzcat FILE |");
    REFUSES("BZh91AY&SY\x01", 0, "bzip2 data");
    REFUSES("PK\x03\x04\x14\0", 0, "a zip archive");
    REFUSES("\x04\x22M\x18\x64", 0, "lz4 data");
    REFUSES("%PDF-1.7\n1 0 obj\n", 0, "a PDF document");
    REFUSES("<?xml version=\"1.0\"?>\n", 0, "XML");
    READS("PAR1 PAR2\nPK BZh9\n", "", "PAR1 PAR2 PK BZh9: PAR1>PAR2 PK>BZh9");
    char tar[512] = "graph.txt";
    memcpy(tar + 257, "ustar", 5);
    unsigned sum = 8 * ' '; /* of all bytes, those of the sum itself as blanks */
    for (unsigned i = 0; i < sizeof tar; i++) sum += (unsigned char)tar[i];
    sprintf(tar + 148, "%06o", sum);
    tar[155] = ' ';
    write_gzip("g.tgz", tar, sizeof tar, "wb");
    neap_graph *g;
    neap_error err = { 0 };
    assert_int_equal(load("g.tgz", "", &g, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "g.tgz: this is a tar archive"));
}

static void a_text_with_the_mark_of_tar_is_a_text(void **state)
{
    (void)state;
    char text[600];
    for (size_t i = 0; i < sizeof text; i += 4) memcpy(text + i, "7 8\n", 4);
    memcpy(text + 252, "1234 ustar9\n", 12); /* the word at byte 257 */
    neap_graph *g;
    neap_error err = { 0 };
    scratch_put("g.txt", text, sizeof text);
    if (load("g.txt", "", &g, &err)) fail_msg("%s", err.text);
    uint32_t node;
    assert_int_equal(neap_graph_find(g, "ustar9", &node, &err), NEAP_OK);
    neap_graph_free(g);
}

static void a_graph_of_ours_needs_no_ending(void **state)
{
    (void)state;
    neap_graph *g, *back;
    neap_error err = { 0 };
    neap_edge edge = { 0, 1, 1 };
    float vectors[2] = { 1, 2 };
    assert_int_equal(neap_graph_create(2, NULL, &edge, 1, 0, 0, &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "g.safetensors", NULL, &err), NEAP_OK);
    assert_int_equal(neap_vectors_save("v.safetensors", g, vectors, 2, 1, &err), NEAP_OK);
    assert_int_equal(rename("g.safetensors", "graph"), 0);
    assert_int_equal(load("graph", "", &back, &err), NEAP_OK);
    assert_string_equal(report_of(back).format, "safetensors");
    assert_true(neap_graph_hash(back) == neap_graph_hash(g));
    neap_graph_free(back);
    neap_graph_free(g);
    assert_int_equal(load("graph", "format=edges", &back, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "a safetensors file, as neap's models and graphs are"));
    assert_int_equal(load("v.safetensors", "", &back, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "a neap file of vectors, not a graph"));
    assert_int_equal(rename("v.safetensors", "vectors"), 0);
    assert_int_equal(load("vectors", "", &back, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "a neap file of vectors, not a graph"));
}

static void standard_input_is_a_file_named_dash(void **state)
{
    (void)state;
    neap_graph *g;
    neap_error err = { 0 };
    int old = dup(STDIN_FILENO);
    scratch_put("in", "1 2\n3 \n", 7);
    int file = open("in", O_RDONLY);
    dup2(file, STDIN_FILENO);
    assert_int_equal(load("-", "", &g, &err), NEAP_E_FORMAT);
    dup2(old, STDIN_FILENO);
    close(file);
    close(old);
    assert_non_null(strstr(err.text, "standard input:2:1: only 1 column"));
}

static void adjacency_lists_name_a_node_and_its_targets(void **state)
{
    (void)state;
    READS_AS("g.adj", "# c\na b c\nd\nc a\n", "a b c d: a>b a>c c>a");
    READS_AS("g.adjlist", "a b\tc d\t\ne f\t\n", "a b c d e f: a b>c d");
    READS_AS("g.adj", "a,\"b, c\",d\n", "a b, c d: a>b, c a>d");
    REFUSES_AS("g.adj", "lonely\n", 0, "no edges");
}

static void an_error_has_the_same_line_in_a_crlf_file(void **state)
{
    (void)state;
    REFUSES_AS("g.txt", "a b\n1 2\nx y\nq\n", 4, "column");
    REFUSES_AS("g.txt", "a b\r\n1 2\r\nx y\r\nq\r\n", 4, "column");
}

static void matrix_market_has_numbered_nodes(void **state)
{
    (void)state;
    READS_AS("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n3 3 2\n1 3\n3 1\n",
             "1 2 3: 1>3 3>1");
    READS_AS("g.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n3 1 2.5\n",
             "1 2 3: 1>3:2.5");
    READS_AS("g.mtx", "%%matrixmarket MATRIX Coordinate INTEGER general\n2 2 1\n1 2 4\n", "1 2: 1>2:4");
    const char banner[] = "%%MatrixMarket matrix coordinate pattern general\n";
    char text[200];
    static const struct {
        const char *rest, *words;
        uint64_t line;
    } bad[] = { { "3 3 2\n1 3\n", "2 entries were announced, but only 1 came", 3 },
                { "3 3 1\n1 3\n1 2\n", "more entries than the 1", 4 },
                { "3 3 1\n1 4\n", "g.mtx:3:3: here must stand a whole number between 1 and 3", 3 },
                { "3 3 1\n0 1\n", "between 1 and 3", 3 },
                { "3 2 1\n1 1\n", "square", 2 },
                { "3 3\n1 1\n", "whole number", 2 },
                { "", "size of the matrix is missing", 1 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int size = snprintf(text, sizeof text, "%s%s", banner, bad[i].rest);
        refuses("g.mtx", text, (size_t)size, "", NEAP_E_FORMAT, bad[i].line, bad[i].words);
    }
    REFUSES_AS("g.mtx", "1 2\n", 1, "begins with '%%MatrixMarket matrix'");
    REFUSES_AS("g.mtx", "", 1, "begins with '%%MatrixMarket matrix'");
    REFUSES_AS("g.mtx", "%%MatrixMarket matrix array real general\n", 1, "coordinate");
    REFUSES_AS("g.mtx", "%%MatrixMarket matrix coordinate complex general\n", 1,
               "pattern, real or integer");
    REFUSES_AS("g.mtx", "%%MatrixMarket matrix coordinate real hermitian\n", 1, "general or symmetric");
}

static void a_promise_of_nodes_costs_no_memory(void **state)
{
    (void)state;
    const char text[] = "%%MatrixMarket matrix coordinate pattern general\n2147483647 2147483647 1\n1 2\n";
    size_t before = atomic_load(&faults.bytes);
    atomic_store(&faults.peak, before);
    refuses("g.mtx", text, sizeof text - 1, "", NEAP_E_LIMIT, 0, "2147483647 nodes for 1 entries");
    const char lists[] = "2147483647 1\n2\n1\n";
    refuses("g.graph", lists, sizeof lists - 1, "", NEAP_E_FORMAT, 3, "only 2 lines came");
    assert_true(atomic_load(&faults.peak) - before < 8 << 20);
}

static void metis_lists_each_edge_twice(void **state)
{
    (void)state;
    READS_AS("g.metis", "% c\n3 2\n2 3\n1\n% c\n1\n", "1 2 3: 1>2 1>3");
    READS_AS("g.graph", "3 1 001\n2 7\n1 7\n\n", "1 2 3: 1>2:7");
    READS_AS("g.graph", "2 1 000\n2\n1", "1 2: 1>2");
    REFUSES_AS("g.metis", "x y\n", 1, "begins with the numbers of nodes and edges");
    REFUSES_AS("g.metis", "2 1 011\n", 1, "fmt must be 0 or 1");
    REFUSES_AS("g.metis", "2 1\n2\n3\n", 3, "g.metis:3:1: a neighbour is a number between 1 and 2");
    REFUSES_AS("g.metis", "2 1\n1\n1\n", 2, "its own neighbour");
    REFUSES_AS("g.metis", "3 1\n2\n3\n1\n", 0, "in the lists of both its ends");
    REFUSES_AS("g.metis", "4 2\n2\n1\n\n2\n", 0, "in the lists of both its ends");
    REFUSES_AS("g.metis", "2 1 1\n2 5\n1 6\n", 0, "with the same weight");
    REFUSES_AS("g.metis", "2 2\n2\n1\n", 0, "2 edges were announced, but 1 are listed");
    REFUSES_AS("g.metis", "2 1\n2\n1\n1\n", 4, "more lines than the 2 nodes");
    REFUSES_AS("g.metis", "2 1 1\n2\n1 1\n", 2, "has no weight");
}

/* Many blocks of lines, so that threads share the work; comments and odd lines in between. */
static char *long_text(size_t *size, size_t lines, size_t bad)
{
    char *text = malloc(lines * 24);
    *size = 0;
    uint32_t x = 1;
    for (size_t i = 0; i < lines; i++) {
        x = x * 1664525 + 1013904223;
        const char *format = i + 1 == bad  ? "%u\n"
                             : x % 97 == 0 ? "# %u %u\n"
                             : x % 89 == 0 ? "n%u,\"%u\"\n"
                                           : "%u,%u\n";
        *size += (size_t)sprintf(text + *size, format, x >> 12, (x >> 8) % 5000);
    }
    return text;
}

static void threads_change_nothing(void **state)
{
    (void)state;
    size_t size;
    uint64_t hash[4];
    char *text = long_text(&size, 250000, 0), options[40];
    assert_true(size > 2 << 20);
    scratch_put("long", text, size);
    for (unsigned threads = 1; threads <= 4; threads++) {
        neap_graph *g;
        neap_error err = { 0 };
        snprintf(options, sizeof options, "threads=%u", threads);
        assert_int_equal(load("long", options, &g, &err), NEAP_OK);
        hash[threads - 1] = neap_graph_hash(g);
        assert_int_equal(report_of(g).lines, 250000);
        neap_graph_free(g);
    }
    for (int i = 1; i < 4; i++) assert_true(hash[i] == hash[0]);
    free(text);
}

static void an_error_far_down_names_its_line(void **state)
{
    (void)state;
    size_t size;
    char *text = long_text(&size, 250000, 222222);
    refuses("long", text, size, "threads=3", NEAP_E_FORMAT, 222222, "long:222222:1: only 1 column");
    free(text);
}

/* ---- how far it is, and stopping ---- */

typedef struct listener {
    pthread_t thread;
    uint64_t calls, stop_at, last, total;
} listener;

static int listen_to(const neap_progress *now, void *user)
{
    listener *l = user;
    assert_true(pthread_equal(l->thread, pthread_self()));
    assert_string_equal(now->stage, "load");
    assert_true(now->size == sizeof *now && now->done >= l->last && now->done <= now->total);
    assert_true(now->epoch == 0 && now->loss != now->loss && now->seconds >= 0.1);
    l->last = now->done;
    l->total = now->total;
    return ++l->calls == l->stop_at;
}

/* Reads a file from a disk so slow at first that there is something to tell after each block, and asks to
 * stop at the first chance or never. */
static void expect_stop(const char *path, uint64_t hash)
{
    neap_options *o = options_of("threads=2");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    for (uint64_t stop = 0; stop < 2; stop++) {
        listener l = { .thread = pthread_self(), .stop_at = stop };
        neap_hooks hooks = { .size = sizeof hooks, .progress = listen_to, .user = &l };
        neap_graph *g = (neap_graph *)&l;
        neap_error err = { 0 };
        long blocks = atomic_load(&faults.blocks), files = atomic_load(&faults.files);
        faults.slow_reads = 4;
        neap_status rc = neap_graph_load(path, o, &hooks, &g, &err);
        if (rc != (stop ? NEAP_E_STOPPED : NEAP_OK)) fail_msg("%s: %d: %s", path, rc, err.text);
        assert_int_equal(l.total, st.st_size);
        if (stop) assert_true(l.calls == 1 && !g && err.code == NEAP_E_STOPPED && err.text[0]);
        else assert_true(l.calls && l.last && neap_graph_hash(g) == hash);
        neap_graph_free(g);
        assert_int_equal(atomic_load(&faults.blocks), blocks);
        assert_int_equal(atomic_load(&faults.files), files);
    }
    neap_options_free(o);
}

static void reading_tells_how_far_it_is_and_can_be_stopped(void **state)
{
    (void)state;
    size_t size;
    neap_graph *g;
    char *text = long_text(&size, 200000, 0);
    scratch_put("long", text, size);
    write_gzip("long.gz", text, size, "wb1");
    assert_int_equal(load("long", "", &g, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "ours", "safetensors", NULL), NEAP_OK);
    uint64_t hash = neap_graph_hash(g);
    neap_graph_free(g);
    expect_stop("long", hash);
    expect_stop("long.gz", hash);
    expect_stop("ours", hash);
    free(text);
}

static void hooks_without_progress_or_size_are_taken_or_refused(void **state)
{
    (void)state;
    neap_options *o = options_of("");
    neap_hooks silent = NEAP_SIZED(neap_hooks), wrong = { 0 };
    neap_graph *g;
    neap_error err = { 0 };
    scratch_put("g.txt", "1 2\n", 4);
    assert_int_equal(neap_graph_load("g.txt", o, &silent, &g, &err), NEAP_OK);
    neap_graph_free(g);
    assert_int_equal(neap_graph_load("g.txt", o, &wrong, &g, &err), NEAP_E_ARG);
    assert_null(g);
    assert_non_null(strstr(err.text, "neap_hooks must begin with its size"));
    neap_options_free(o);
}

static neap_status load_all(void *user, neap_error *err)
{
    static const char *const files[] = { "f.csv", "f.gz", "f.adj", "f.mtx", "f.metis", "ours" };
    neap_status rc = NEAP_OK;
    for (int i = 0; i < 6 && rc == NEAP_OK; i++) {
        neap_graph *g = NULL;
        rc = neap_graph_load(files[i], user, NULL, &g, err);
        assert_true((rc == NEAP_OK) == (g != NULL));
        neap_graph_free(g);
    }
    return rc;
}

static void is_memory(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    if (rc != NEAP_E_MEM) fail_msg("%d: %s", rc, err->text);
}

static void is_reading(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    if (rc != NEAP_E_READ || err->sys != EIO) fail_msg("%d: %s", rc, err->text);
}

static void every_failing_call_is_an_ordinary_error(void **state)
{
    (void)state;
    const char csv[] = "id1,id2,w\n1,2,7\n\"3\",2,1\n3,1234567890123,1\n";
    scratch_put("f.csv", csv, sizeof csv - 1);
    write_gzip("f.gz", "1 2\n2 3\n", 8, "wb");
    scratch_put("f.adj", "a b c\nd\n", 8);
    const char mtx[] = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 3 1\n3 1 2\n";
    scratch_put("f.mtx", mtx, sizeof mtx - 1);
    scratch_put("f.metis", "3 2\n2 3\n1\n1\n", 12);
    neap_options *o = options_of("");
    neap_error err = { 0 };
    neap_graph *g;
    assert_int_equal(neap_graph_load("f.csv", o, NULL, &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "ours", "safetensors", &err), NEAP_OK);
    neap_graph_free(g);
    assert_int_equal(load_all(o, &err), NEAP_OK);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, load_all, is_memory, o) > 40);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, true, load_all, is_memory, o) > 40);
    assert_true(faults_each(FAULTS_OPEN, EIO, false, load_all, is_reading, o) == 7);
    assert_true(faults_each(FAULTS_READ, EIO, false, load_all, is_reading, o) >= 5);
    neap_options_free(o);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_enter, scratch_leave)

int main(void)
{
    faults_install();
    const struct CMUnitTest tests[] = {
        TEST(an_id_is_a_name_never_an_index),
        TEST(nodes_are_numbered_by_first_appearance),
        TEST(the_delimiter_is_found_in_the_first_line),
        TEST(comments_and_blank_lines_are_skipped),
        TEST(line_ends_and_marks_do_not_matter),
        TEST(a_nul_byte_is_refused),
        TEST(quotes_follow_rfc_4180),
        TEST(quotes_hold_between_blanks_and_tabs_too),
        TEST(what_only_begins_like_a_quoted_name_is_taken_as_it_stands),
        TEST(a_third_column_of_numbers_is_the_weight),
        TEST(a_header_is_recognised_by_words_or_by_numbers_below),
        TEST(a_header_chooses_the_columns),
        TEST(a_column_is_a_weight_only_if_its_header_says_so),
        TEST(columns_are_chosen_by_number),
        TEST(columns_are_chosen_by_the_words_of_the_header),
        TEST(columns_that_make_no_sense_are_a_usage_error),
        TEST(relations_are_refused_with_a_way_out),
        TEST(lines_with_more_columns_than_the_first_are_refused),
        TEST(a_first_line_with_an_empty_third_column_hides_no_weights),
        TEST(attributes_of_networkx_are_refused),
        TEST(other_formats_are_called_by_their_name),
        TEST(unix_time_is_no_weight),
        TEST(a_time_by_its_header_is_left_out_and_reported),
        TEST(a_text_with_the_mark_of_tar_is_a_text),
        TEST(a_header_that_names_two_pairs_is_refused),
        TEST(a_first_line_whose_words_never_return_is_reported),
        TEST(what_was_decided_is_reported),
        TEST(repeats_merge_and_undirected_pairs_stand_at_the_smaller_node),
        TEST(what_is_no_edge_list_is_refused_with_its_place),
        TEST(names_and_lines_have_a_limit),
        TEST(a_line_without_end_costs_no_memory),
        TEST(compression_is_recognised_by_content),
        TEST(a_cut_or_damaged_archive_is_refused),
        TEST(foreign_files_are_called_by_their_name),
        TEST(a_graph_of_ours_needs_no_ending),
        TEST(standard_input_is_a_file_named_dash),
        TEST(adjacency_lists_name_a_node_and_its_targets),
        TEST(an_error_has_the_same_line_in_a_crlf_file),
        TEST(matrix_market_has_numbered_nodes),
        TEST(a_promise_of_nodes_costs_no_memory),
        TEST(metis_lists_each_edge_twice),
        TEST(threads_change_nothing),
        TEST(an_error_far_down_names_its_line),
        TEST(reading_tells_how_far_it_is_and_can_be_stopped),
        TEST(hooks_without_progress_or_size_are_taken_or_refused),
        TEST(every_failing_call_is_an_ordinary_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
