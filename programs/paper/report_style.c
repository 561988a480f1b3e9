#include "paper/report.h"

const char *const ni_report_style[] = {
    ni_chart_style,

    /* One column of text, a little wider than a table of nine columns. */
    ":root{--warn:#a34400;--warn-paper:#fff3e8}"
    "@media screen and (prefers-color-scheme:dark){:root{--warn:#ffb27a;--warn-paper:#33241a}}"
    "main,footer{max-width:66rem}"
    "h1{margin-bottom:.8rem}"
    "h2{font-size:1.45rem;letter-spacing:-.005em;margin:0 0 .4rem}"
    "h3,h2.minor{font-size:1.05rem;line-height:1.4;letter-spacing:0;margin:0 0 .4rem}"
    "h4{font-size:.9rem;margin:0 0 .2rem}"
    "a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.15em}"
    "code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans "
    "Mono',monospace;font-size:.85em}"
    "pre{background:var(--faint);padding:.7rem 1rem;border-radius:4px;overflow-x:auto;white-space:pre-wrap;"
    "overflow-wrap:anywhere;margin:0 0 1rem}"
    ".table{margin-top:3.5rem;padding-top:1.6rem;border-top:1px solid var(--line)}"
    ".protocol{margin-top:2.4rem}.protocol+.muted{margin-top:1.6rem}.table>.protocol:first-of-type{margin-"
    "top:1.4rem}"
    ".leaky{display:inline-block;font-size:.72rem;font-weight:700;letter-spacing:.03em;line-height:1.5;"
    "padding:0 .5em;border-radius:3px;color:var(--warn);background:var(--warn-paper);vertical-align:.12em}"
    ".why{color:var(--warn);font-size:.9rem}"
    ".note{color:var(--muted);font-size:.85rem;margin-top:.7rem}",

    /* Contents and protocols. */
    ".contents{list-style:none;margin:0;padding:0;columns:2;column-gap:3rem;font-size:.95rem}"
    ".contents li{padding:.25rem 0;break-inside:avoid}"
    ".contents small{display:block;font-size:.82rem}"
    ".protocols{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:1rem 2.2rem;margin:0}"
    ".protocols dt{font-weight:600;border-top:2px solid var(--line);padding-top:.5rem}"
    ".protocols dd{margin:.2rem 0 0;font-size:.9rem}",

    /* Charts, one or several beside each other. */
    "figure{margin:1rem 0 1.4rem}"
    ".one{max-width:60rem}"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1.2rem "
    "2.5rem}"
    ".charts>div{max-width:30rem;min-width:0}",

    /* Tables: the method stays in sight while the columns scroll. */
    ".sheet{table-layout:auto;width:auto;border-collapse:separate;border-spacing:0}.many{min-width:100%}."
    "scroll+.scroll{margin-top:1.6rem}"
    ".sheet caption{font-weight:600;font-size:.85rem;margin-bottom:.3rem}"
    ".sheet th,.sheet td{padding:.3rem 0 .3rem 1.6rem;text-align:right;white-space:nowrap}"
    ".sheet thead th:not(.across){border-bottom:1px solid var(--line);vertical-align:bottom}"
    ".many th,.many td{padding-left:.8rem}"
    ".sheet thead small{display:block;font-weight:400;font-size:.7rem}"
    ".sheet .across{text-align:left;padding-bottom:0;border-bottom:0}"
    ".sheet .across span,.quoted-rows tr:first-child span{position:sticky;left:0}"
    ".sheet tbody tr+tr>*{border-top:1px solid var(--faint)}"
    ".sheet .stub{position:sticky;left:0;z-index:1;background:var(--paper);"
    "text-align:left;padding:.3rem .6rem .3rem 0}"
    ".sheet strong{font-weight:700}"
    ".sheet .dev{display:inline-block;min-width:2.5em;padding-left:.25em;text-align:left;font-size:.7rem}"
    ".sheet .none{color:var(--muted);font-size:.72rem}"
    ".theirs{display:block;font-size:.72rem;line-height:1.3;color:var(--muted);font-style:italic}"
    ".theirs span{font-style:normal;display:inline-block;min-width:2.6em}"
    ".theirs .more{color:var(--plus)}.theirs .less{color:var(--minus)}"
    ".detail{display:block;font-size:.7rem;line-height:1.3;color:var(--muted)}"
    ".sees{display:inline-block;font-size:.68rem;font-weight:400;line-height:1.4;color:var(--warn)}"
    ".sheet .sees{display:block}"
    ".quoted-rows tr:first-child th{text-align:left;padding-left:0;padding-top:1rem;color:var(--muted);"
    "font-size:.78rem;border-bottom:1px solid var(--line)}"
    ".quoted-rows tr+tr th{color:var(--muted)}"
    ".sheet tbody tr:hover>*{background:var(--faint)}"
    ".settings{table-layout:auto;width:auto;min-width:min(100%,40rem)}"
    ".settings th,.settings td{padding-right:2rem}"
    ".settings .differs td{font-weight:600}"
    ".marks{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.4rem;margin:0;font-size:.92rem}"
    ".marks dt{font-variant-numeric:tabular-nums}.marks dd{margin:0}",

    "@media(max-width:52rem){.protocols{grid-template-columns:1fr}}"
    "@media(max-width:40rem){.contents{columns:1}.sheet th,.sheet td{padding-left:.8rem}"
    ".sheet tbody .stub{white-space:normal;min-width:6.5rem}}"
    "@media print{a{color:inherit}.table{break-before:page}.sheet{font-size:8pt;min-width:0}"
    ".sheet th,.sheet td{padding-left:.5rem}.sheet .dev,.sheet .theirs,.sheet .none{font-size:6.5pt}"
    ".protocol>h3,h4{break-after:avoid}}",
    NULL,
};
