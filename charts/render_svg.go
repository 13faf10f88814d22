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
	return parse([]script{
		{"timers.js", "function setTimeout() { return 0 }\nfunction clearTimeout() {}"}, // a still picture waits for nothing
		{"echarts.min.js", src},
		{"text.js", textJS},
		{"draw.js", drawJS},
		{"still.js", `function still(js) {
			var spec = JSON.parse(js);
			var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: spec.width, height: spec.height});
			chart.setOption(dpb.option(echarts, spec, spec.start, spec.width));
			return chart.renderToSVGString();
		}`},
	})
}

type script struct{ name, text string }

func parse(scripts []script) ([]*goja.Program, error) {
	var ps []*goja.Program
	for _, s := range scripts {
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
	svg, err := call(ps, "still", string(spec))
	return []byte(svg), err
}

// call runs the programs in a fresh engine, and then the function of this name on the argument.
func call(ps []*goja.Program, name, arg string) (string, error) {
	vm := goja.New()
	for _, p := range ps {
		if _, err := vm.RunProgram(p); err != nil {
			return "", fmt.Errorf("charts: %w", err)
		}
	}
	fn, ok := goja.AssertFunction(vm.Get(name))
	if !ok {
		return "", fmt.Errorf("charts: %s is not a function", name)
	}
	out, err := fn(goja.Undefined(), vm.ToValue(arg))
	if err != nil {
		return "", fmt.Errorf("charts: rendering: %w", err)
	}
	return out.String(), nil
}
