package charts

import "io"

// SVG renders the starting frame of the figure with ECharts' own server-side rendering. Equal
// figures give equal bytes.
func (f *Figure) SVG() ([]byte, error) {
	js, err := f.json()
	if err != nil {
		return nil, err
	}
	return renderSVG(js)
}

// WriteSVG writes the starting frame of a figure as a stand-alone SVG file.
func WriteSVG(w io.Writer, f *Figure) error {
	svg, err := f.SVG()
	if err != nil {
		return err
	}
	_, err = w.Write(svg)
	return err
}
