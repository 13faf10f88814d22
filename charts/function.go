package charts

// Function returns the curve of a function over points x.
func Function(name string, x []float64, f func(x float64) float64) Series {
	s := Series{Name: name, X: x, Y: make([]float64, len(x))}
	for i, v := range x {
		s.Y[i] = f(v)
	}
	return s
}

// Points returns the values of a function over points x as a Scatter.
func Points(name string, x []float64, f func(x float64) float64) Series {
	s := Function(name, x, f)
	s.Kind = Scatter
	return s
}

// Guide returns the values of a function over points x as a Reference, such as a bound or a power
// to compare a slope with.
func Guide(name string, x []float64, f func(x float64) float64) Series {
	s := Function(name, x, f)
	s.Reference = true
	return s
}

// LogLog returns a figure of series on two logarithmic axes. Its Scale is LectureScale. Change its
// fields as you like.
func LogLog(title, x, y string, series ...Series) *Figure {
	return &Figure{Title: title, X: Axis{Name: x, Log: true}, Y: Axis{Name: y, Log: true}, Series: series, Scale: LectureScale}
}
