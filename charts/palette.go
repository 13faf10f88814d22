package charts

import (
	"encoding/json"
	"fmt"
	"strings"
)

// palette is that of Okabe and Ito (2008), whose colours the colour-blind can tell apart, without
// its yellow, which projectors wash out. Each colour has its own dash and symbol, so that a figure
// can be read in grey.
var palette = []style{
	{"#0072B2", "solid", "circle"},
	{"#D55E00", "10,4", "triangle"},
	{"#009E73", "10,4,2,4", "rect"},
	{"#CC79A7", "3,3", "diamond"},
	{"#E69F00", "solid", "emptyTriangle"},
	{"#56B4E9", "10,4", "emptyCircle"},
	{"#000000", "10,4,2,4", "emptyRect"},
	{"#7B4B12", "3,3", "emptyDiamond"},
	{"#5D3A9B", "18,4", "circle"},
}

type style struct{ Color, Dash, Symbol string }

const (
	referenceColor = "#555555"
	faintColor     = "#8E959C"
)

// tone is a colour of the light mode and what takes its place in the dark mode.
type tone struct{ light, dark string }

// tones are the colours of all figures. The dark ones of the palette were searched for: seen with
// or without any kind of colour blindness, two of them differ more than the closest light ones.
var tones = []tone{
	{"#0072B2", "#3076A5"},
	{"#D55E00", "#C96411"},
	{"#009E73", "#4CF095"},
	{"#CC79A7", "#BD9CAE"},
	{"#E69F00", "#FFB01F"},
	{"#56B4E9", "#95BDFD"},
	{"#000000", "#F2F2F2"},
	{"#7B4B12", "#996641"},
	{"#5D3A9B", "#8963E4"},
	{referenceColor, "#B4B4B4"},
	{faintColor, "#6E747C"},
	{"#ffffff", "#181818"}, // the ground
	{"rgba(255,255,255,0.8)", "rgba(24,24,24,0.8)"},
	{"#222222", "#E6E6E6"}, // ink
	{"#fdfdfd", "#191919"}, // white ink on a fill that gets bright
	{"#5F6670", "#9AA1AB"}, // axes
	{"#E6E8EC", "#32363C"}, // grid
	{"#7A828C", "#8E96A0"}, // edges of a graph
	{"#EFBE4D", "#7A5C00"}, // behind an edge that is pointed out
}

// toneJS declares the tones and the functions that use them.
func toneJS() string {
	table := map[string]string{}
	for _, t := range tones {
		table[t.light] = t.dark
	}
	js, err := json.Marshal(table)
	if err != nil {
		panic(fmt.Sprintf("charts: the tones are no JSON: %v", err)) // never: they are strings
	}
	return "var TONES = " + string(js) + ";\n" + toneFunctions
}

// darkStyle returns the rules that replace, in the dark mode, the colours that a picture uses.
func darkStyle(svg string) string {
	var b strings.Builder
	for _, t := range tones {
		for _, paint := range []string{"fill", "stroke"} {
			if rule := paint + `="` + t.light + `"`; strings.Contains(svg, rule) {
				fmt.Fprintf(&b, "[%s]{%s:%s}", rule, paint, t.dark)
			}
		}
	}
	if strings.Contains(svg, `fill-opacity="0.3"`) { // faint symbols, as in js/draw.js
		b.WriteString(`[fill-opacity="0.3"]{fill-opacity:.6}`)
	}
	if b.Len() == 0 {
		return ""
	}
	return "@media (prefers-color-scheme:dark){" + b.String() + "}"
}

// Color returns the colour of style n = 1, 2, ... There are nine; then they repeat.
func Color(n int) string { return styleOf(n).Color }

func styleOf(n int) style { return palette[((n-1)%len(palette)+len(palette))%len(palette)] }
