package charts

import (
	"fmt"
	"io"
	"sync"

	"github.com/dop251/goja"
)

// SVG renders frame Start of the figure, the same bytes each time, with ECharts' own server-side rendering.
func (f *Figure) SVG() ([]byte, error) {
	js, err := f.json()
	if err != nil {
		return nil, err
	}
	return renderSVG(js)
}

// WriteSVG writes the figure as a stand-alone SVG file.
func WriteSVG(w io.Writer, f *Figure) error {
	svg, err := f.SVG()
	if err != nil {
		return err
	}
	_, err = w.Write(svg)
	return err
}

// programs parses the library and our own part of it, once a process: that is most of the time that the first figure
// takes. Running them in a fresh engine takes a tenth of it, and a fresh engine gives the same ids in the SVG each
// time.
var programs = sync.OnceValues(compile)

func compile() ([]*goja.Program, error) {
	src, err := echartsSource()
	if err != nil {
		return nil, err
	}
	var ps []*goja.Program
	for _, s := range []struct{ name, text string }{
		{"timers.js", "function setTimeout() { return 0 }\nfunction clearTimeout() {}"}, // a still picture waits for nothing
		{"echarts.min.js", src},
		{"draw.js", drawJS},
		{"still.js", `function still(js) {
			var spec = JSON.parse(js);
			var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: spec.width, height: spec.height});
			chart.setOption(dpb.option(echarts, spec, spec.start, spec.width));
			return chart.renderToSVGString();
		}`},
	} {
		p, err := goja.Compile(s.name, s.text, false)
		if err != nil {
			return nil, fmt.Errorf("charts: %w", err)
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func renderSVG(spec []byte) ([]byte, error) {
	ps, err := programs()
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	for _, p := range ps {
		if _, err := vm.RunProgram(p); err != nil {
			return nil, fmt.Errorf("charts: %w", err)
		}
	}
	still, ok := goja.AssertFunction(vm.Get("still"))
	if !ok {
		return nil, fmt.Errorf("charts: still is not a function")
	}
	svg, err := still(goja.Undefined(), vm.ToValue(string(spec)))
	if err != nil {
		return nil, fmt.Errorf("charts: rendering: %w", err)
	}
	return []byte(svg.String()), nil
}
