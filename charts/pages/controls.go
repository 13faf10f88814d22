package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Control is a variable of a cell that the reader of its page may set.
type Control struct {
	Name     string  `json:"name"`
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Log      bool    `json:"log"`
	Whole    bool    `json:"whole"` // numbers only
	Start    float64 `json:"start"`
	Notebook string  `json:"notebook,omitempty"` // its value in the notebook, where the page starts with another
}

// mark begins a comment at a variable that is a control.
const mark = "control:"

// marking is an assignment, or a variable's specification, with the controls that its comment asks
// for.
type marking struct {
	node     ast.Node
	controls []Control
}

// marked finds the comments that ask for controls, at the end of an assignment or on the line
// above.
func marked(set *token.FileSet, f *ast.File) (list []marking, err error) {
	line := func(p token.Pos) int { return set.Position(p).Line }
	for _, group := range f.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), mark)
			if !ok {
				continue
			}
			var m marking
			var left, right []ast.Expr
			ast.Inspect(f, func(n ast.Node) bool {
				if n == nil {
					return false
				}
				before := n.End() <= comment.Pos() && line(n.End()) == line(comment.Pos())
				after := n.Pos() > comment.Pos() && line(n.Pos()) == line(comment.Pos())+1
				if !before && (!after || m.node != nil) {
					return true
				}
				switch n := n.(type) {
				case *ast.AssignStmt:
					m.node, left, right = n, n.Lhs, n.Rhs
				case *ast.ValueSpec:
					m.node, left, right = n, nil, n.Values
					for _, name := range n.Names {
						left = append(left, name)
					}
				}
				return true
			})
			if m.node == nil {
				return nil, fmt.Errorf("%q is at no assignment", comment.Text)
			}
			if m.controls, err = controls(text, left, right); err != nil {
				return nil, fmt.Errorf("%q: %w", comment.Text, err)
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// syntax of a control: name, range, scale, and what the page starts with.
var syntax = regexp.MustCompile(`^(?:(\pL\w*) )?(\S+?)\.\.(\S+?)( log)?(?: page (\S+))?$`)

// controls reads what follows the mark, for the variables on the left of an assignment.
func controls(text string, left, right []ast.Expr) (list []Control, err error) {
	for one := range strings.SplitSeq(text, ",") {
		m := syntax.FindStringSubmatch(strings.TrimSpace(one))
		if m == nil {
			return nil, fmt.Errorf("%q is not of the form: name from..to log page start", strings.TrimSpace(one))
		}
		c := Control{Name: m[1], Log: m[4] != "", Whole: !strings.Contains(m[2]+m[3], ".")}
		if c.Name == "" && len(left) == 1 {
			c.Name = left[0].(*ast.Ident).Name
		}
		at := slices.IndexFunc(left, func(e ast.Expr) bool { i, ok := e.(*ast.Ident); return ok && i.Name == c.Name })
		if at < 0 {
			return nil, fmt.Errorf("%q is none of the variables", c.Name)
		}
		var errs [3]error
		c.From, errs[0] = number(m[2])
		c.To, errs[1] = number(m[3])
		own := ""
		if len(right) == len(left) {
			own, _ = value(right[at])
		}
		start := cmp.Or(m[5], own)
		if start == "" {
			return nil, fmt.Errorf("%s has no number as its value: say with which the page starts", c.Name)
		}
		if c.Start, errs[2] = number(start); m[5] != "" {
			c.Notebook = cmp.Or(own, "see its code")
		}
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		if !(c.From < c.To) || !(c.From <= c.Start) || !(c.Start <= c.To) || c.Log && c.From <= 0 {
			return nil, fmt.Errorf("%s starts with %g in the range %g to %g", c.Name, c.Start, c.From, c.To)
		}
		list = append(list, c)
	}
	return list, nil
}

func number(s string) (float64, error) { return strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64) }

// value returns a number that is written out: the value itself, or what cell.Size(smoke, lecture)
// is at lecture scale.
func value(e ast.Expr) (text string, ok bool) {
	if call, is := e.(*ast.CallExpr); is {
		if f := types.ExprString(call.Fun); f == "cell.Size" || f == "uint64" {
			return value(call.Args[len(call.Args)-1])
		}
	}
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.INT && l.Kind != token.FLOAT {
		return "", false
	}
	return l.Value, true
}

// controlled gives variables of a specification their controls' values, before anything else sees
// the notebook's own.
func controlled(spec string, controls []Control) string {
	left, right, _ := strings.Cut(spec, "=")
	var more string
	for _, c := range controls {
		left = regexp.MustCompile(`\b`+c.Name+`\b`).ReplaceAllString(left, "own_"+c.Name)
		more += fmt.Sprintf("\nvar %s = page.Value(%[1]q, own_%[1]s)", c.Name)
	}
	return left + "=" + right + more
}
