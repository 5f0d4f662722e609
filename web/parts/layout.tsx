import type { ComponentChildren, VNode } from 'preact';
import { isRightToLeft, WORDS } from '../server/language.ts';
import { type Mood, moodIcon } from '../server/qr.ts';
import { isFollowed, type View } from '../server/view.ts';
import { Contact } from './contact.tsx';

interface LayoutProps {
  readonly view: View;
  readonly title: string;
  readonly mood: Mood;
  readonly script: string | undefined;
  readonly reload: number | undefined;
  readonly feed: string | undefined;
  readonly isUnlisted: boolean;
  readonly children: ComponentChildren;
}

export function Layout({ view, title, mood, script, reload, feed, isUnlisted, children }: LayoutProps): VNode {
  const { words, language, theme, settings, base } = view;
  return (
    <html lang={language} dir={isRightToLeft(language) ? 'rtl' : 'ltr'} data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {isUnlisted && <meta name="robots" content="noindex" />}
        {reload !== undefined && <meta http-equiv="refresh" content={`${reload}`} />}
        <title>{`${title} · ${settings.name}`}</title>
        <link rel="stylesheet" href={view.file('style.css')} />
        {script === 'partners' && <link rel="stylesheet" href={view.file('partners.css')} />}
        <link rel="icon" type="image/png" href={moodIcon(mood)} />
        {feed && <link rel="alternate" type="application/atom+xml" href={feed} />}
        {script && <script type="module" src={view.file(`${script}.js`)} />}
      </head>
      <body>
        <a class="skip" href="#main">
          {words.nav.skip}
        </a>
        <header>
          {settings.banner && <Banner {...settings.banner} view={view} />}
          <div class="top">
            <a class="mark" href={`${base}/`}>
              {settings.name}
            </a>
            <nav aria-label={words.nav.main}>
              <Link view={view} to="/" text={words.nav.swap} />
              <Link view={view} to="/bridge" text={words.nav.bridge} />
              <Link view={view} to="/orders" text={words.nav.orders} />
            </nav>
          </div>
        </header>
        <main id="main">{children}</main>
        <Foot view={view} />
      </body>
    </html>
  );
}

const Link = ({ view, to, text }: { readonly view: View; readonly to: string; readonly text: string }) => (
  <a href={`${view.base}${to}`} aria-current={view.path === `${view.base}${to}` ? 'page' : undefined}>
    {text}
  </a>
);

function Banner({ text, link, level, view }: NonNullable<View['settings']['banner']> & { readonly view: View }): VNode {
  return <p class={`banner ${level}`}>{link && isFollowed(view, link) ? <a href={link}>{text}</a> : text}</p>;
}

function Foot({ view }: { readonly view: View }): VNode {
  const { words, settings, base, back } = view;
  return (
    <footer class="foot">
      <nav aria-label={words.nav.help}>
        <a href={`${base}/help`}>{words.nav.help}</a>
        <a href={`${base}/recover`}>{words.nav.recover}</a>
        <a href={`${base}/status`}>{words.nav.status}</a>
        <a href={`${base}/docs`}>{words.nav.docs}</a>
        <a href={`${base}/partners`}>{words.nav.partners}</a>
        <a href={`${base}/help#privacy`}>{words.nav.privacy}</a>
        <Contact view={view} />
      </nav>
      <form class="choices" method="post" action={`${base}/choices`}>
        <input type="hidden" name="back" value={back} />
        <label>
          <span>{words.nav.language}</span>
          <select name="lang">
            {settings.languages.map((one) => (
              <option value={one} selected={one === view.language} lang={one}>
                {WORDS[one].languageName}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.nav.theme}</span>
          <select name="theme">
            {(['system', 'light', 'dark'] as const).map((one) => (
              <option value={one} selected={one === (view.theme ?? 'system')}>
                {words.nav[one]}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="quiet">
          {words.nav.choose}
        </button>
      </form>
    </footer>
  );
}
