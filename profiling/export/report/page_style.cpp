// profiling/export/report/page_style.cpp: how a report looks, and its script.
#include "profiling/export/report/page_style.h"

namespace warpscope {

// On paper: A4, a table's head on each of its pages, no heading apart from what it is above. What
// is folded stays so: a reader opens it to have it printed.
const char* const kPageStyle = R"css(
*{box-sizing:border-box}
html{color-scheme:light;-webkit-text-size-adjust:100%}
body{font:16px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif;max-width:62rem;margin:2rem auto;
  padding:0 1rem;color:#1a1d23;background:#fff}
h1{font-size:1.7rem;line-height:1.2;margin:0}
.of{font-size:1.1rem;color:#4a5260;margin:.2rem 0 1.2rem}
h2{font-size:1.3rem;margin:2.5rem 0 .6rem;padding-top:.6rem;border-top:2px solid #1a1d23}
h3,summary{font-size:1.05rem;font-weight:600;margin:1.4rem 0 .5rem}
h1,h2,h3,p,li,summary,figcaption{overflow-wrap:anywhere}
.notice{border:2px solid #a3470a;background:#fff4e8;padding:.6rem .9rem;font-weight:600}
.conclusions{background:#f2f5fa;border-left:4px solid #1f5fa8;margin:1rem 0;padding:.8rem 1rem .8rem 2rem}
.conclusions li{margin:.3rem 0}
.note,figcaption{color:#4a5260;font-size:.92rem;margin:.3rem 0}
.scroll{overflow-x:auto;margin:.4rem 0 1.6rem}
table{border-collapse:collapse;width:100%;font-size:.86rem;line-height:1.4}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #d5d9e0;vertical-align:top}
th{border-bottom:1.5px solid #6b7482;vertical-align:bottom}
th[role=button]{cursor:pointer}
th[aria-sort]::after{content:" \2195";color:#8d96a3}
th[aria-sort=ascending]::after{content:" \25B2";color:#1f5fa8}
th[aria-sort=descending]::after{content:" \25BC";color:#1f5fa8}
td{overflow-wrap:anywhere;min-width:4.2rem}
.number{white-space:nowrap;overflow-wrap:normal;text-align:right;font-variant-numeric:tabular-nums}
.name{min-width:8rem}.long{min-width:15rem}
.code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.92em;white-space:pre-wrap;min-width:17rem}
summary{cursor:pointer}
nav ul{margin:.2rem 0;padding-left:1.2rem}nav summary{margin:0;font-weight:400;font-size:1rem}
figure{margin:1.4rem 0 2rem}figure h3{margin:0 0 .4rem}
figure svg{display:block;max-width:100%;height:auto}
.phone{display:none}
#tip{position:absolute;z-index:9;max-width:20rem;background:#1a1d23;color:#fff;font-size:.82rem;line-height:1.35;
  padding:.35rem .55rem;border-radius:4px;pointer-events:none;overflow-wrap:anywhere}
.on-paper{display:none}
@media screen and (max-width:700px){
  body{margin:1rem auto;padding:0 .8rem}
  .page{display:none}.phone{display:block}
  .conclusions{padding:.6rem .7rem .6rem 1.4rem}
}
@page{size:A4;margin:15mm}
@media print{
  body{font-size:9.5pt;max-width:none;margin:0;padding:0}
  h2{margin-top:7mm;padding-top:2mm}
  .scroll{overflow:visible;margin:1mm 0 5mm}
  table{font-size:7.5pt}th,td{padding:.5mm 1.5mm .5mm 0}
  td{min-width:11mm}.name{min-width:19mm}.long{min-width:36mm}.code{min-width:60mm}
  thead{display:table-header-group}tr,figure{break-inside:avoid}
  h2,h3,summary,.note{break-after:avoid}.short{break-inside:avoid}
  p,li{orphans:3;widows:3}
  figure svg{max-height:225mm}
  a{color:inherit;text-decoration:none}
  details:not([open]),nav li:has(>details),.folded-part,.too-wide{display:none}
  .on-paper{display:block}
  th[aria-sort]::after{content:""}
  .notice,.conclusions,svg *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
)css";

const char* const kDrawingStyle = R"css(
svg text{font:12px system-ui,"Segoe UI","DejaVu Sans",sans-serif;fill:#1a1d23}
svg .tick{fill:#4a5260;font-size:11px}svg .name{fill:#4a5260;font-weight:600}
svg .halo{paint-order:stroke;stroke:#fff;stroke-width:4px;fill:#333a45}
svg .grid{stroke:#e3e6eb}svg .axis{stroke:#6b7482}
svg .s0{fill:#1f5fa8;stroke:#1f5fa8}svg .s1{fill:#d1620c;stroke:#d1620c}
svg .s2{fill:#2c8a4b;stroke:#2c8a4b}svg .s3{fill:#a8327a;stroke:#a8327a}
svg .s4{fill:#0f8f9c;stroke:#0f8f9c}svg .s5{fill:#b8890b;stroke:#b8890b}
svg .s6{fill:#6a4fb3;stroke:#6a4fb3}svg .s7{fill:#6b4a2b;stroke:#6b4a2b}
svg .other{fill:#a8afba;stroke:#a8afba}
svg rect{stroke:none}svg .mark{stroke:#fff;stroke-width:1}
svg .hollow{fill:#fff;stroke-width:2.2}svg .s0.hollow{stroke:#1f5fa8}svg .s1.hollow{stroke:#d1620c}
svg .s2.hollow{stroke:#2c8a4b}svg .s3.hollow{stroke:#a8327a}svg .s4.hollow{stroke:#0f8f9c}
svg .s5.hollow{stroke:#b8890b}svg .s6.hollow{stroke:#6a4fb3}svg .s7.hollow{stroke:#6b4a2b}
svg .other.hollow{stroke:#a8afba}
svg .faint{opacity:.5}svg .part{stroke:#fff;stroke-width:.7}
svg .curve{fill:none;stroke-width:2}svg .curve.other{stroke-width:1}
svg .noise{stroke:#1a1d23;stroke-width:1.2}
svg .roof{fill:none;stroke:#1a1d23;stroke-width:2}svg .roof.fine{stroke-width:1.2;stroke-dasharray:6 3}
svg .used{fill:#1f5fa8;stroke:#1f5fa8}svg .wasted{fill:#f0b27a;stroke:#f0b27a}
svg .idle{fill:#edf0f4;stroke:#edf0f4}
)css";

const char* const kPageScript = R"js(
(function(){
"use strict";
var powers={n:1e-9,"\u00b5":1e-6,m:1e-3,k:1e3,M:1e6,G:1e9,T:1e12};
function value(text){
  if(/^baseline/.test(text))return 1;
  var found=/^\s*(-?\d[\d\u00a0\u2009\u202f ]*(?:\.\d+)?)\s*(?:([n\u00b5mkMGT])(?=s\b|B|FLOP|OP|inst|Hz|$|\s))?/.exec(text);
  if(!found)return NaN;
  var number=parseFloat(found[1].replace(/[\u00a0\u2009\u202f ]/g,""))*(powers[found[2]]||1);
  return /\u00d7 slower/.test(text)?1/number:number;
}
function sort(head){
  var row=head.parentNode,table=row.closest("table"),body=table.tBodies[0];
  var column=Array.prototype.indexOf.call(row.children,head);
  var down=head.getAttribute("aria-sort")==="ascending";
  Array.prototype.forEach.call(row.children,function(each){each.setAttribute("aria-sort","none")});
  head.setAttribute("aria-sort",down?"descending":"ascending");
  var rows=Array.prototype.map.call(body.rows,function(each){
    var text=each.cells[column].textContent;
    return {row:each,text:text,value:value(text)};
  });
  rows.sort(function(a,b){
    var no=isNaN(a.value)-isNaN(b.value);
    if(no)return no;
    var order=isNaN(a.value)?a.text.localeCompare(b.text):a.value-b.value;
    return down?-order:order;
  });
  rows.forEach(function(each){body.appendChild(each.row)});
}
document.querySelectorAll("section:not(.unsorted) table").forEach(function(table){
  if(!(table.tBodies[0].rows.length>1))return;
  table.tHead.querySelectorAll("th").forEach(function(head){
    head.setAttribute("role","button");
    head.setAttribute("aria-sort","none");
    head.tabIndex=0;
    head.title="sort by this column";
    head.addEventListener("click",function(){sort(head)});
    head.addEventListener("keydown",function(event){
      if(event.key!=="Enter"&&event.key!==" ")return;
      event.preventDefault();
      sort(head);
    });
  });
});
var tip=document.createElement("div");
tip.id="tip";
tip.setAttribute("role","status");
tip.hidden=true;
document.body.appendChild(tip);
document.querySelectorAll("svg title").forEach(function(title){
  var mark=title.parentNode;
  mark.setAttribute("data-says",title.textContent);
  mark.setAttribute("aria-label",title.textContent);
  mark.removeChild(title);
});
function show(event){
  var mark=event.target.closest?event.target.closest("[data-says]"):null;
  tip.hidden=!mark;
  if(!mark)return;
  tip.textContent=mark.getAttribute("data-says");
  var room=document.documentElement.clientWidth-tip.offsetWidth-8;
  tip.style.left=Math.max(4,Math.min(event.clientX+12,room))+window.scrollX+"px";
  var below=event.clientY+16;
  if(below+tip.offsetHeight>window.innerHeight)below=event.clientY-tip.offsetHeight-12;
  tip.style.top=below+window.scrollY+"px";
}
document.addEventListener("pointermove",show);
document.addEventListener("click",show);
document.addEventListener("scroll",function(){tip.hidden=true},true);
function unfold(){
  var place=location.hash&&document.getElementById(location.hash.slice(1));
  var fold=place&&place.querySelector("details");
  if(fold)fold.open=true;
}
window.addEventListener("hashchange",unfold);
unfold();
})();
)js";

}  // namespace warpscope
