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

// stillJS returns the picture of a figure's starting frame.
const stillJS = `function still(js) {
	var spec = JSON.parse(js);
	var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: spec.width, height: spec.height});
	chart.setOption(dpb.option(echarts, spec, spec.start, spec.width));
	return chart.renderToSVGString();
}`

func renderSVG(spec []byte) ([]byte, error) {
	src, err := echartsSource()
	if err != nil {
		return nil, err
	}
	svg, err := call([]script{
		// a still picture waits for nothing
		{"timers.js", "function setTimeout() { return 0 }\nfunction clearTimeout() {}"},
		{"echarts.min.js", src},
		{"tone.js", toneJS()},
		{"text.js", textJS},
		{"draw.js", drawJS},
		{"still.js", stillJS},
	}, "still", spec)
	if err != nil {
		return nil, err
	}
	return slim(svg)
}
