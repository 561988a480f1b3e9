/* What all pages look like: head, style sheets, colours. */
#include <math.h>

#include "pages/pages.h"

static const char *const style[] = {
    "*{box-sizing:border-box}"
    "html{-webkit-text-size-adjust:100%}"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}"
    "main{max-width:82rem;margin:0 auto;padding:2.5rem 2rem 1rem}"
    "footer{max-width:82rem;margin:0 auto;padding:1rem 2rem 2.5rem;color:var(--muted);font-size:.8rem}"
    "h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.01em;margin:0 0 1.2rem;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}"
    "p{margin:0 0 .8rem;max-width:46rem;overflow-wrap:anywhere}"
    "bdi{unicode-bidi:isolate}"
    "section{margin-top:2.5rem}.two+p{margin-top:1.2rem}"
    ".muted,small{color:var(--muted)}"
    ".lede{font-size:1.1rem}"
    ".name{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "font-size:.92em;font-weight:inherit}"
    "strong .name{font-weight:600}",

    /* Facts in a row; tables with bars. */
    ".facts{display:flex;flex-wrap:wrap;gap:.8rem 2.5rem;margin:0 0 1.2rem}"
    ".facts dt{color:var(--muted);font-size:.8rem;overflow-wrap:anywhere}"
    ".facts dd{margin:0;font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}"
    ".facts small{font-size:.8rem}"
    "table{border-collapse:collapse;table-layout:fixed;width:100%;font-size:.85rem;font-variant-numeric:"
    "tabular-nums}"
    "caption{text-align:left;margin-bottom:.6rem}"
    "caption h2{margin:0}"
    "th,td{padding:.28rem .7rem .28rem 0;text-align:left;vertical-align:baseline;font-weight:400}"
    "th:last-child,td:last-child{padding-right:0}"
    "tbody th,td.text{overflow-wrap:anywhere}"
    "thead th{color:var(--muted);font-size:.78rem;border-bottom:1px solid var(--line);padding-bottom:.4rem}"
    "tbody tr+tr{border-top:1px solid var(--faint)}"
    "tfoot tr:first-child{border-top:1px solid var(--line)}"
    "thead .first{width:32%}thead .last{width:24%}"
    ".bar{display:flex;align-items:center;gap:.5rem}"
    ".bar>span{flex:none;min-width:4.1em;text-align:right;white-space:nowrap}"
    ".bar>div{flex:1;height:.6rem}"
    ".bar i{display:block;height:100%;border-radius:2px}"
    ".signed>div{background:linear-gradient(var(--line),var(--line)) var(--zero) 0/1px 100% no-repeat}"
    ".weight{background:var(--weight)}.plus{background:var(--plus)}.minus{background:var(--minus)}"
    ".tag{font-size:.7rem;color:var(--muted);white-space:nowrap}",

    /* Pictures, of width --w: shrink by up to a quarter to fit; where that is not enough they keep their
     * size and scroll in their own frame, so that never just an edge is cut off. */
    "figure{margin:0;min-width:0}"
    ".scroll{overflow-x:auto}"
    ".scroll svg{height:auto;max-width:100%;"
    "min-width:clamp(0px,(var(--w)*.75 - 100%)*9999,var(--w))}"
    ".scroll:focus-visible{outline:2px solid var(--weight);outline-offset:3px}"
    "figure svg{display:block;flex:none}"
    "svg text{fill:var(--ink);font:11px ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    "svg text.muted{fill:var(--muted);font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
    "svg .weight{fill:var(--weight)}svg .axis{stroke:var(--line)}"
    "svg .even{stroke:var(--muted);stroke-dasharray:2 3}"
    "svg .cell:hover{stroke:var(--ink);stroke-width:1.5}"
    ".ring{fill:none;stroke-width:1.6;pointer-events:none}.dot{pointer-events:none}"
    ".ring.weak{stroke:var(--ink)}.dot.weak{fill:var(--ink)}"
    ".ring.strong{stroke:var(--paper)}.dot.strong{fill:var(--paper)}"
    ".legend,figcaption{width:0;min-width:100%}"
    ".legend{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.6rem;margin-top:1rem;"
    "font-size:.8rem;color:var(--muted)}"
    ".legend span{display:inline-flex;align-items:center;gap:.4rem;white-space:nowrap}"
    ".picture>div{margin-top:1.8rem}"
    "figcaption{margin-top:.7rem;font-size:.8rem;color:var(--muted);overflow-wrap:anywhere}",

    /* Wide windows: picture beside words, list beside list. Narrow ones: two lines per row. */
    "@media(min-width:60rem){.two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 3rem}"
    ".two>section{margin-top:0}.two{margin-top:3rem}}"
    "@media(min-width:78rem){.picture{display:flex;gap:2.5rem;align-items:flex-start}"
    ".picture>div{flex:1 0 15rem;margin:0}}"
    "@media(max-width:40rem){main{padding:1.5rem 1rem .5rem}footer{padding:1rem 1rem 1.5rem}"
    "h1{font-size:1.5rem}"
    ".folding tr{display:grid;grid-template-columns:1fr 1fr;gap:.1rem 1rem;padding:.35rem 0}"
    ".folding th,.folding td{padding:0;border:0}"
    ".folding .last{order:-1}.folding .first{order:-2}"
    ".folding thead tr{border-bottom:1px solid var(--line)}"
    ".folding .first,.folding .last{width:auto}}"
    "@media print{body{font-size:10pt}main,footer{max-width:none;padding:0}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    ".scroll{overflow:visible}.scroll svg{min-width:0}"
    "figure,tr{break-inside:avoid}.picture{display:block}h2{break-after:avoid}}",
};

/* Colours after Okabe and Ito (2008), darkened for light paper and lightened for dark, so that each
 * stands out from the page by at least 3 to 1. Blue is kept for the line that a chart is about. Dashes and
 * marks differ too: no line is identified by its colour alone. */
const char ni_chart_style[] =
    ":root{--accent:#0a5cad;--k0:#a86400;--k1:#007a5a;--k2:#a8488a;--k3:#7f7000;--k4:#1f7d93;--k5:#c04a1c;"
    "--k6:#6b7280;--k7:#7d5a36}"
    "@media screen and (prefers-color-scheme:dark){:root{--accent:#74b6ff;--k0:#e6a03c;--k1:#3dbb90;"
    "--k2:#dd92c4;--k3:#cfc04a;--k4:#67c0d6;--k5:#f08a64;--k6:#a8b0ba;--k7:#c8a682}}\n"
    ".k0{--k:var(--k0)}.k1{--k:var(--k1)}.k2{--k:var(--k2)}.k3{--k:var(--k3)}.k4{--k:var(--k4)}"
    ".k5{--k:var(--k5)}.k6{--k:var(--k6)}.k7{--k:var(--k7)}"
    ".strong,.twin{--k:var(--accent)}.quoted{--k:var(--ink)}\n"
    ".chart svg{display:block;width:100%;height:auto}"
    ".chart .narrow{display:none}"
    ".chart text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;"
    "font-variant-numeric:tabular-nums}"
    ".chart .narrow text,.chart .small text{font-size:11px}"
    ".chart .tick,.chart .name{fill:var(--muted)}.chart .name{font-weight:600}"
    ".chart .end{text-anchor:end}.chart .middle{text-anchor:middle}"
    ".chart .end-name{fill:var(--k)}.chart .strong .end-name{font-weight:700}"
    ".chart .quoted .end-name{fill:var(--muted);font-style:italic}\n"
    ".chart .grid{stroke:var(--faint)}.chart .base{stroke:var(--line);fill:none}"
    ".chart .stroke{fill:none;stroke:var(--k);stroke-width:1.5;stroke-linejoin:round}"
    ".chart .d1 .stroke{stroke-dasharray:6 3}.chart .d2 .stroke{stroke-dasharray:2 2.5}"
    ".chart .strong .stroke{stroke-width:3}.chart .twin .stroke{stroke-width:1.75;stroke-dasharray:7 4}"
    ".chart .quoted .stroke{stroke-width:1.25;stroke-dasharray:1.5 3;stroke-linecap:round}"
    ".chart .bridge{stroke:var(--k);stroke-width:1;stroke-dasharray:1 5;opacity:.5}"
    ".chart .thread{fill:none;stroke:var(--k);stroke-width:.75;opacity:.55}"
    ".chart .spread{stroke:var(--k);stroke-width:1;opacity:.6}.chart .band{fill:var(--k);opacity:.16}"
    ".chart .mark{fill:var(--k);stroke:var(--paper);stroke-width:1}"
    ".chart .twin .mark{fill:var(--paper);stroke:var(--k);stroke-width:1.5}"
    ".chart .quoted .mark{opacity:0}.chart .mark:hover{stroke:var(--ink);stroke-width:1.5;opacity:1}\n"
    "@media(max-width:40rem){.chart .wide{display:none}.chart .narrow{display:block}}"
    "@media print{.chart .wide{display:block}.chart .narrow{display:none}}";

/* A colour in OKLab (Ottosson 2020), where equal distances look equal. */
typedef struct oklab {
    double l, a, b;
} oklab;

/* A scale from one colour over a neutral one to another. Both ends are equally far from the middle in
 * lightness, so neither sign looks stronger; blue and orange differ for every kind of colour vision. */
typedef struct scale {
    oklab minus, zero, plus;
} scale;

static const scale light = { { 0.55, 0.105, 0.105 }, { 0.955, 0, 0.003 }, { 0.55, -0.05, -0.12 } };
static const scale dark = { { 0.75, 0.08, 0.105 }, { 0.27, 0, -0.005 }, { 0.75, -0.055, -0.1 } };

static oklab mix(oklab from, oklab to, double t)
{
    return (oklab){ from.l + t * (to.l - from.l), from.a + t * (to.a - from.a),
                    from.b + t * (to.b - from.b) };
}

static oklab colour_of(const scale *s, double value)
{
    return value < 0 ? mix(s->zero, s->minus, -value) : mix(s->zero, s->plus, value);
}

/* Linear light in [0, 1] to a byte of sRGB. */
static unsigned srgb_byte(double x)
{
    if (!(x > 0)) return 0;
    if (x >= 1) return 255;
    double y = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return (unsigned)(255 * y + 0.5);
}

static unsigned srgb(oklab c)
{
    double l = c.l + 0.3963377774 * c.a + 0.2158037573 * c.b;
    double m = c.l - 0.1055613458 * c.a - 0.0638541728 * c.b;
    double s = c.l - 0.0894841775 * c.a - 1.2914855480 * c.b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    unsigned red = srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    unsigned green = srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    unsigned blue = srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    return red << 16 | green << 8 | blue;
}

int ni_html_shade(double value)
{
    const int middle = NI_SHADES / 2;
    if (!(value > -1)) return value <= -1 ? 0 : middle;
    return value >= 1 ? NI_SHADES - 1 : (int)((value + 1) * middle + 0.5);
}

/* The variables and shades of a theme; `rest` holds the colours that are no part of the scale. */
static void write_theme(ni_page *out, const scale *s, const char *rest)
{
    ni_page_print(out, ":root{%s;--plus:#%06x;--minus:#%06x}", rest, srgb(colour_of(s, 1)),
                  srgb(colour_of(s, -1)));
    for (int i = 0; i < NI_SHADES; i++)
        ni_page_print(out, ".c%d{fill:#%06x}", i, srgb(colour_of(s, 2.0 * i / (NI_SHADES - 1) - 1)));
}

/* The common rules, then those of the page. */
static void write_style(ni_page *out, const char *const *more)
{
    ni_page_text(out, "<style>\n");
    write_theme(out, &light,
                "color-scheme:light;--paper:#fdfdfc;--ink:#1c2127;--muted:#59626d;--line:#c9cdd2;"
                "--faint:#eceeef;--weight:#7f74ad");
    ni_page_text(out, "\n@media screen and (prefers-color-scheme:dark){");
    write_theme(out, &dark,
                "color-scheme:dark;--paper:#16191d;--ink:#e4e7ea;--muted:#a3acb6;--line:#454c55;"
                "--faint:#262b31;--weight:#9a8fcb");
    ni_page_text(out, "}\n");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) {
        ni_page_text(out, style[i]);
        ni_page_text(out, "\n");
    }
    for (; more && *more; more++) {
        ni_page_text(out, *more);
        ni_page_text(out, "\n");
    }
    ni_page_text(out, "</style>\n");
}

void ni_html_begin(ni_page *out, const char *title, const char *const *more)
{
    ni_page_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                      "<meta http-equiv=\"Content-Security-Policy\" "
                      "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                      "<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>");
    ni_html_text(out, title);
    ni_page_text(out, "</title>\n");
    write_style(out, more);
    ni_page_text(out, "</head>\n<body>\n<main>\n");
}

void ni_html_end(ni_page *out)
{
    ni_page_print(out, "</main>\n<footer>Made by Neap %s.</footer>\n</body>\n</html>\n", neap_version());
}
