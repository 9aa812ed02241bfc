// The viewer's style sheet has its dark colours under a class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const showScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
showScheme()
dark.addEventListener('change', showScheme)

const none = () => () => null
const overrides = ({ React }) => ({
  wrapComponents: {
    // No request is sent from here, so nobody is asked for a key.
    authorizeBtn: none,
    authorizeOperationBtn: none,
    // A link inside of the button that opens the operation: opening it changes the address just so.
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
})

SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  showExtensions: true,
  supportedSubmitMethods: [],
  syntaxHighlight: { activated: false },
  plugins: [overrides],
})
