//go:build js

// Package gonbui shows things below a notebook's cell that runs in a page. Its functions are those
// of github.com/janpfeifer/gonb/gonbui that need no answer from the page, and the site's builder
// puts it in that package's place, so that a cell reads the same in both kernels.
package gonbui

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"syscall/js"
)

// IsNotebook reports whether the program runs below a cell.
var IsNotebook = js.Global().Get("gonbDisplay").Type() == js.TypeFunction

// show hands one representation to the worker, which shows it at once. An id names the output that
// it replaces.
func show(mime, content, id string) {
	if IsNotebook {
		js.Global().Call("gonbDisplay", mime, content, id)
	}
}

// DisplayHTML shows HTML below the cell.
func DisplayHTML(html string) { show("text/html", html, "") }

// DisplayHtml is DisplayHTML.
func DisplayHtml(html string) { DisplayHTML(html) }

// DisplayHTMLF shows HTML that it formats as fmt.Sprintf does.
func DisplayHTMLF(format string, args ...any) { DisplayHTML(fmt.Sprintf(format, args...)) }

// DisplayHtmlf is DisplayHTMLF.
func DisplayHtmlf(format string, args ...any) { DisplayHTMLF(format, args...) }

// DisplayMarkdown shows Markdown below the cell.
func DisplayMarkdown(markdown string) { show("text/markdown", markdown, "") }

// DisplaySVG shows a picture below the cell.
func DisplaySVG(svg string) { DisplayHTML("<div>" + svg + "</div>") }

// DisplaySvg is DisplaySVG.
func DisplaySvg(svg string) { DisplaySVG(svg) }

// DisplayPNG shows a picture below the cell.
func DisplayPNG(png []byte) { show("image/png", base64.StdEncoding.EncodeToString(png), "") }

// DisplayPng is DisplayPNG.
func DisplayPng(png []byte) { DisplayPNG(png) }

// UpdateHTML shows HTML in the output of this id, which the first call makes.
func UpdateHTML(id, html string) { show("text/html", html, id) }

// UpdateHtml is UpdateHTML.
func UpdateHtml(id, html string) { UpdateHTML(id, html) }

// UpdateMarkdown shows Markdown in the output of this id, which the first call makes.
func UpdateMarkdown(id, markdown string) { show("text/markdown", markdown, id) }

// UniqueID returns an id that no other call returns.
func UniqueID() string {
	var b [4]byte
	rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// UniqueId is UniqueID.
func UniqueId() string { return UniqueID() }

// Sync returns when everything is shown, which is at once.
func Sync() {}

// Error returns nil: nothing is between the program and the page that could fail.
func Error() error { return nil }
