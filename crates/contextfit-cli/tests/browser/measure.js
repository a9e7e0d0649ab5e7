// Measures a page from inside, and tells the page around it. A test adds this to a copy: the page
// itself has no script.
(() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const luminance = ({ r, g, b }) => {
    const part = (value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const ground = (element) => {
    if (!element) return { r: 255, g: 255, b: 255, a: 1 };
    const own = parse(getComputedStyle(element).backgroundColor);
    return own.a === 1 ? own : over(own, ground(element.parentElement));
  };
  // Opacity shows what is behind the element as a whole.
  const ink = (element) => {
    const color = parse(getComputedStyle(element).color);
    for (let at = element; at; at = at.parentElement) {
      color.a *= Number(getComputedStyle(at).opacity);
    }
    return over(color, ground(element));
  };
  const isShown = (element) => {
    const box = element.getBoundingClientRect();
    return element.checkVisibility() && box.width > 1 && box.height > 1;
  };

  let worst = { ratio: Infinity, text: "" };
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.localName === "script" || !isShown(element)) continue;
    texts += 1;
    const ratio = contrast(ink(element), ground(element));
    if (ratio < worst.ratio) worst = { ratio, text: node.data.trim() };
  }

  const width = document.documentElement.clientWidth;
  const outside = [...document.body.querySelectorAll("*")]
    .filter((element) => isShown(element) && element.getBoundingClientRect().right > width + 0.5)
    .map((element) => element.outerHTML.slice(0, 80));

  const messages = [...document.querySelectorAll("li.message")];
  const bars = messages.filter(isShown).map((message) => ({
    tokens: Number(message.querySelector(".tokens").firstChild.data.replaceAll(",", "")),
    room: message.querySelector(".bar").getBoundingClientRect().width,
    width: [...message.querySelectorAll(".bar > i")]
      .reduce((sum, part) => sum + part.getBoundingClientRect().width, 0),
  }));
  const swatches = [...document.querySelectorAll(".swatch")].map((swatch) => {
    const style = getComputedStyle(swatch);
    const color = parse(style.backgroundColor);
    return {
      kind: swatch.parentElement.textContent,
      image: style.backgroundImage.replaceAll(/rgba?\([^)]*\)/g, ""),
      contrast: color.a === 1 ? contrast(color, ground(swatch.parentElement)) : null,
    };
  });

  parent.postMessage({
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    ground: luminance(ground(document.body)),
    width: innerWidth,
    scroll_width: document.documentElement.scrollWidth,
    outside,
    texts,
    worst,
    messages: messages.length,
    shown: bars.length,
    bars,
    swatches,
    unnamed: [...document.querySelectorAll("[role=img]")].filter((image) => !image.ariaLabel).length,
    headings: document.querySelectorAll("h1").length,
    title: document.title,
    fetched: performance.getEntriesByType("resource").length,
  }, "*");
})();
