package charts

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
	faintColor     = "#C8CCD2"
)

// Color returns the colour of style n = 1, 2, ... There are nine; then they repeat.
func Color(n int) string { return styleOf(n).Color }

func styleOf(n int) style { return palette[((n-1)%len(palette)+len(palette))%len(palette)] }
