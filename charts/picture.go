//go:build !page

package charts

// script is a named piece of JavaScript.
type script struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// stillJS returns the picture of a figure's starting frame.
const stillJS = `function still(js) {
	var spec = JSON.parse(js);
	var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: spec.width, height: spec.height});
	chart.setOption(dpb.option(echarts, spec, spec.start, spec.width));
	return chart.renderToSVGString();
}`

func renderSVG(spec []byte) ([]byte, error) { return picture(spec, "still", stillJS) }

// picture returns the SVG that a function of js draws of a figure's spec.
func picture(spec []byte, function, js string) ([]byte, error) {
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
		{function + ".js", js},
	}, function, spec)
	if err != nil {
		return nil, err
	}
	return slim(svg)
}
